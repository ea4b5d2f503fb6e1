import { Effect, Layer } from "effect"
import type { PolicyFacts } from "../../core/domain/Insurance.ts"
import { type PolicyDocument, PolicyRenderer } from "../../core/ports/Renderers.ts"
import { type Fonts, makeFonts } from "./Fonts.ts"
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

/** A document of a policy as PDF, one page. */
export const policyPdf = (fonts: Fonts, facts: PolicyFacts, kind: PolicyDocument) =>
  Effect.suspend(() => {
    const { draw, name, size } = forms[kind]
    const { issuedAt, number } = facts.policy
    const document = openDocument(fonts, { ...size, title: `${name} ${number}`, createdAt: issuedAt })
    draw(document, facts)
    return bytesOf(document)
  })

/** Renders in this thread. */
export const layer = Layer.sync(PolicyRenderer, () => {
  const fonts = makeFonts()
  return PolicyRenderer.of({ pdf: (facts, kind) => policyPdf(fonts, facts, kind) })
})
