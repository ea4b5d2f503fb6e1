import { DateTime, Effect } from "effect"
import { TransactionId } from "../../../core/domain/Ids.ts"
import type { PolicyFacts } from "../../../core/domain/Insurance.ts"
import type { Extra } from "../../../core/domain/InsuranceOffer.ts"
import { Amount } from "../../../core/domain/Money.ts"
import { Cedula, Phone, Plate } from "../../../core/domain/Person.ts"
import type { Receipt } from "../../../core/domain/Receipt.ts"
import { type PolicyDocument, PolicyRenderer } from "../../../core/ports/Renderers.ts"
import { type Line, readPdf } from "../../support/PdfReader.ts"

const extras: ReadonlyArray<Extra> = [
  { code: "grua", name: "Servicio de grúa", price: Amount.make(70_050) },
  { code: "casa_conductor", name: "Casa del conductor", price: Amount.make(50_000) }
]

/** The facts of a policy, as an insurer gives them. */
export const facts = {
  policy: {
    number: "1-501-0123456",
    validity: { from: "2026-03-04", until: "2027-03-03" },
    issuedAt: DateTime.makeUnsafe("2026-03-05T03:30:05.000Z")
  },
  plate: Plate.make("A123456"),
  insured: {
    cedula: Cedula.make("00112345678"),
    phone: Phone.make("8095551234"),
    holder: "Titular Ñandú Núm Łódź",
    vehicle: { brand: "Citroën", model: "C3", year: 2018, type: "automovil", chassis: "VF7SXHMZ6JT512345" }
  },
  version: { id: "v1", name: "Feel 1.2", suggested: true },
  plan: {
    code: "basico",
    name: "Seguro de ley básico",
    coverage: "Daños a la propiedad ajena hasta RD$ 100,000; fianza judicial hasta RD$ 200,000.",
    months: 12,
    price: Amount.make(450_000),
    suggested: true
  },
  quote: {
    reference: "Q-1",
    total: Amount.make(570_050),
    extras,
    expiresAt: DateTime.makeUnsafe("2026-03-05T04:00:00.000Z")
  }
} as const satisfies PolicyFacts

/** The receipt of a sale. */
export const receipt: Receipt = {
  transactionId: TransactionId.make(7),
  xid: "RD-0123456789abcdef01234567",
  authCode: "8812345",
  rechargeToken: null,
  issuer: "Saldo",
  merchant: "Colmado Doña Ñusta",
  service: "Peaje Paso Rápido",
  identifier: "8095551234",
  amount: Amount.make(10_050),
  processedAt: DateTime.makeUnsafe("2026-03-05T03:30:05.000Z"),
  message: "Operación exitosa.",
  status: "SUCCESS"
}

export const documents = ["poliza", "marbete"] as const satisfies ReadonlyArray<PolicyDocument>

export const render = (of: PolicyFacts, kind: PolicyDocument) =>
  Effect.flatMap(PolicyRenderer, ({ pdf }) => pdf(of, kind))

export const read = (of: PolicyFacts, kind: PolicyDocument) => Effect.map(render(of, kind), readPdf)

/** The text of a page: its lines, from left to right, joined by spaces. */
export const words = (lines: ReadonlyArray<Line>): string =>
  lines
    .filter(({ upright }) => upright)
    .map(({ text }) => text)
    .join(" ")
    .replace(/\s+/g, " ")
