import { Effect, Layer } from "effect"
import type { PolicyFacts } from "../../core/domain/Insurance.ts"
import { type PolicyDocument, PolicyRenderer } from "../../core/ports/Renderers.ts"
import { makeFonts } from "./Fonts.ts"
import { drawMarbete, marbeteSize } from "./MarbetePage.ts"
import { bytesOf, type Document, openDocument } from "./PdfDocument.ts"
import { drawPoliza, polizaSize } from "./PolizaPage.ts"

interface Form {
  readonly name: string
  readonly size: { readonly width: number; readonly height: number }
  readonly draw: (document: Document, facts: PolicyFacts) => void
}

const forms: { readonly [_ in PolicyDocument]: Form } = {
  poliza: { name: "Póliza", size: polizaSize, draw: drawPoliza },
  marbete: { name: "Marbete", size: marbeteSize, draw: drawMarbete }
}

/** Renders the documents of a policy as PDF, one page each. */
export const layer = Layer.effect(
  PolicyRenderer,
  Effect.map(Effect.sync(makeFonts), (fonts) =>
    PolicyRenderer.of({
      pdf: (facts, kind) =>
        Effect.suspend(() => {
          const { draw, name, size } = forms[kind]
          const { issuedAt, number } = facts.policy
          const document = openDocument(fonts, { ...size, title: `${name} ${number}`, createdAt: issuedAt })
          draw(document, facts)
          return bytesOf(document)
        })
    })
  )
)
