import { Effect, Schema } from "effect"
import { Base64 } from "effect/encoding"
import type { Session } from "../../core/domain/Access.ts"
import type { InsuranceId } from "../../core/domain/Ids.ts"
import { type PolicyDocument, PolicyRenderer } from "../../core/ports/PolicyRenderer.ts"
import { redactDefects } from "../../core/telemetry/RedactDefects.ts"
import { insuranceOf, policyOf } from "../../core/workflows/InsuranceSteps.ts"
import { FileReply } from "../call/Call.ts"
import { input } from "../wire/Input.ts"
import { output } from "../wire/Output.ts"
import { insuranceId } from "../wire/SeguroFields.ts"
import { SeguroView, seguroView } from "../wire/SeguroView.ts"
import { allowed, answer } from "./Procedure.ts"
import { insured, plan, total, tow } from "./SegurosExample.ts"

/** Contract: 4.6, step 7. */
export const ver = allowed("recharges.create")
  .meta({
    openapi: {
      method: "GET",
      path: "/v1/seguros/{id}",
      summary: "Paso 7: un seguro, con su estado",
      tags: ["Seguros"]
    },
    alias: ["/v1/insurance/{id}"],
    message: "Detalle del seguro.",
    errors: ["NOT_FOUND"],
    example: {
      data: {
        seguro_id: 1,
        estado: "emitida",
        ...insured,
        plan,
        opcionales: [tow],
        monto_total: total,
        transaction_id: 1,
        numero_poliza: "SBX3F2A9C1BE07D",
        vigencia_desde: "2026-01-31",
        vigencia_hasta: "2027-01-30",
        documentos: {
          poliza: "/v1/seguros/1/documento?tipo=poliza",
          marbete: "/v1/seguros/1/documento?tipo=marbete"
        }
      }
    }
  })
  .input(input({ id: insuranceId }))
  .output(output(SeguroView))
  .query(answer(({ ctx, input: { id } }) => Effect.map(insuranceOf(ctx.session, id), seguroView)))

const drawn = Effect.fnUntraced(function* (session: Session, id: InsuranceId, document: PolicyDocument) {
  const facts = yield* policyOf(session, id)
  const renderer = yield* PolicyRenderer
  return { name: `${document}-${id}.pdf`, body: yield* redactDefects(renderer.pdf(facts, document)) }
})

/** A file in a value, for callers to whom there are no files. */
const FileView = Schema.Struct({ nombre: Schema.String, pdf_base64: Schema.String })

/** Contract: 4.6, step 8. */
export const documento = allowed("recharges.create")
  .meta({
    openapi: {
      method: "GET",
      path: "/v1/seguros/{id}/documento",
      summary: "Paso 8: la póliza o el marbete, en PDF",
      tags: ["Seguros"]
    },
    alias: ["/v1/insurance/{id}/document"],
    message: "Documento de la póliza.",
    errors: ["NOT_FOUND", "POLIZA_NO_EMITIDA"],
    file: "application/pdf",
    onlyFile: true
  })
  .input(
    input({
      id: insuranceId,
      tipo: Schema.Literals(["poliza", "marbete"]).annotate({
        description: "La póliza, o el marbete que el vehículo lleva."
      })
    })
  )
  .output(output(FileView))
  .query(
    answer(
      ({ ctx, input: { id, tipo } }) =>
        Effect.map(drawn(ctx.session, id, tipo), ({ body, name }) => ({
          nombre: name,
          pdf_base64: Base64.encode(body)
        })),
      ({ ctx, input: { id, tipo } }) =>
        Effect.map(
          drawn(ctx.session, id, tipo),
          (made) => new FileReply({ ...made, type: "application/pdf", shown: true })
        )
    )
  )
