import { Effect, Schema } from "effect"
import { Base64 } from "effect/encoding"
import type { InsuranceId } from "../../core/domain/Ids.ts"
import type { Insurance } from "../../core/domain/Insurance.ts"
import { InsuranceState } from "../../core/domain/InsuranceState.ts"
import { toPesos } from "../../core/domain/Money.ts"
import type { Session } from "../../core/domain/Session.ts"
import { PolicyDocument, PolicyRenderer } from "../../core/ports/Renderers.ts"
import { redactDefects } from "../../core/telemetry/RedactDefects.ts"
import { insuranceOf, policyOf } from "../../core/workflows/InsuranceSteps.ts"
import { FileReply } from "./Call.ts"
import { requires } from "./Gate.ts"
import { input } from "./Input.ts"
import { Pesos, PolicyDay } from "./Output.ts"
import { query } from "./Procedure.ts"
import {
  ExtraView,
  exampleInsured,
  examplePlan,
  exampleTotal,
  exampleTow,
  extraView,
  insuranceId,
  insuredFields,
  insuredView,
  PlanView,
  planView
} from "./SeguroParts.ts"

const DocumentPaths = Schema.Struct({ poliza: Schema.String, marbete: Schema.String }).annotate({
  identifier: "DocumentosSeguro"
})

const documentPaths = (id: InsuranceId): typeof DocumentPaths.Type => ({
  poliza: `/v1/seguros/${id}/documento?tipo=poliza`,
  marbete: `/v1/seguros/${id}/documento?tipo=marbete`
})

/** The current state of an insurance. Every field is present; its value is null until it is known. Contract: 2.7. */
const SeguroView = Schema.Struct({
  seguro_id: Schema.Int,
  estado: InsuranceState,
  ...insuredFields,
  plan: Schema.NullOr(PlanView),
  opcionales: Schema.NullOr(Schema.Array(ExtraView)),
  monto_total: Schema.NullOr(Pesos),
  transaction_id: Schema.NullOr(Schema.Int),
  numero_poliza: Schema.NullOr(Schema.String),
  vigencia_desde: PolicyDay,
  vigencia_hasta: PolicyDay,
  documentos: Schema.NullOr(DocumentPaths)
}).annotate({ identifier: "Seguro" })

const seguroView = (insurance: Insurance): typeof SeguroView.Type => {
  const { id, plan, policy, quote, state, transactionId } = insurance
  return {
    seguro_id: id,
    estado: state,
    ...insuredView(insurance),
    plan: plan === null ? null : planView(plan),
    opcionales: quote?.extras.map(extraView) ?? null,
    monto_total: quote === null ? null : toPesos(quote.total),
    transaction_id: transactionId,
    numero_poliza: policy?.number ?? null,
    vigencia_desde: policy?.validity.from ?? null,
    vigencia_hasta: policy?.validity.until ?? null,
    documentos: policy === null ? null : documentPaths(id)
  }
}

/** Step 7: returns one insurance and its state. Contract: 4.6. */
export const verSeguro = query({
  gate: requires("recharges.create"),
  input: input({ id: insuranceId }),
  output: SeguroView,
  meta: {
    path: "/v1/seguros/{id}",
    aliases: ["/v1/insurance/{id}"],
    summary: "Paso 7: un seguro, con su estado",
    tag: "Seguros",
    message: "Detalle del seguro.",
    errors: ["NOT_FOUND"],
    example: {
      data: {
        seguro_id: 1,
        estado: "emitida",
        ...exampleInsured,
        plan: examplePlan,
        opcionales: [exampleTow],
        monto_total: exampleTotal,
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
  },
  handle: ({ input: { id }, session }) => Effect.map(insuranceOf(session, id), seguroView)
})

const pdfOf = Effect.fnUntraced(function* (session: Session, id: InsuranceId, document: PolicyDocument) {
  const facts = yield* policyOf(session, id)
  const renderer = yield* PolicyRenderer
  return { name: `${document}-${id}.pdf`, body: redactDefects(renderer.pdf(facts, document)) }
})

/** A PDF inside a JSON value, because tRPC has no files. */
const FileView = Schema.Struct({ nombre: Schema.String, pdf_base64: Schema.String })

/** Step 8: returns the policy, or the sticker for the vehicle, as a PDF. Contract: 4.6. */
export const documento = query({
  gate: requires("recharges.create"),
  input: input({
    id: insuranceId,
    tipo: PolicyDocument.annotate({
      description: "La póliza, o el marbete que el vehículo lleva."
    })
  }),
  output: FileView,
  meta: {
    path: "/v1/seguros/{id}/documento",
    aliases: ["/v1/insurance/{id}/document"],
    summary: "Paso 8: la póliza o el marbete, en PDF",
    tag: "Seguros",
    message: "Documento de la póliza.",
    errors: ["NOT_FOUND", "POLIZA_NO_EMITIDA", "DOCUMENTO_NO_DISPONIBLE"],
    files: ["application/pdf"],
    onlyFile: true
  },
  handle: Effect.fnUntraced(function* ({ input: { id, tipo }, session }) {
    const { body, name } = yield* pdfOf(session, id, tipo)
    return { nombre: name, pdf_base64: Base64.encode(yield* body) }
  }),
  file: ({ input: { id, tipo }, session }) =>
    Effect.map(pdfOf(session, id, tipo), (pdf) => new FileReply({ ...pdf, type: "application/pdf", shown: true }))
})
