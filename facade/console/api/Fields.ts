import { Option, Result, Schema } from "effect"
import { CellName } from "../../../core/domain/Cell.ts"
import { WebhookId } from "../../../core/domain/Event.ts"

import { ProposalNumber } from "../../../core/domain/FundingProposal.ts"

import { CompanyId, ServiceId, TokenId, TransactionId } from "../../../core/domain/Ids.ts"

import { readInstant } from "../../../core/domain/LocalTime.ts"
import { AmountLiteral, Centavos, readAdjustment, readLimit } from "../../../core/domain/Money.ts"
import { Rnc, readRnc } from "../../../core/domain/Rnc.ts"
import { isAddressRange } from "../../../core/domain/Session.ts"
import { canonicalText, isBlank, isClean, isStorable, lengthOf } from "../../../core/domain/Text.ts"
import { pathId, readBy } from "../../api/Fields.ts"
import { NumberLiteral } from "../../api/Json.ts"

/** Fields of the console's procedures. A field that fails gives a reason code, which the form shows in words. */

/** The cell of a company. */
export const celda = Schema.optionalKey(CellName)

export const empresaId = pathId(CompanyId, "La empresa.", "invalido")
export const tokenId = pathId(TokenId, "El token.", "invalido")
export const propuestaId = pathId(ProposalNumber, "La propuesta.", "invalido")
export const servicioId = pathId(ServiceId, "El servicio.", "invalido")
export const webhookId = pathId(WebhookId, "El webhook.", "invalido")
export const transaccionId = pathId(TransactionId, "La transacción.", "invalido")

const textBy = (spelled: (typed: string) => string, isAllowed: (typed: string) => boolean) => (length_max: number) =>
  readBy<string, string>(
    Schema.String,
    (raw) => {
      if (typeof raw !== "string" || !isAllowed(raw)) return Result.fail("invalido")
      const text = spelled(raw)
      return isBlank(text)
        ? Result.fail("requerido")
        : lengthOf(text) > length_max
          ? Result.fail("longitud")
          : Result.succeed(text)
    },
    { type: "string", maxLength: length_max }
  )

/** Text that is kept as typed. */
export const text = textBy((typed) => typed, isClean)

/** Text that identifies something. It is normalised, so that it is recognised when it is typed or pasted again. */
export const label = textBy(canonicalText, isStorable)

/** A limit in pesos. 0 means no limit. */
export const limit = readBy<Centavos, number | string>(
  Centavos,
  (raw) => {
    if (raw instanceof NumberLiteral) return readLimit(AmountLiteral.NumberLiteral({ text: raw.text }))
    if (typeof raw === "number") return readLimit(AmountLiteral.NumberLiteral({ text: String(raw) }))
    return typeof raw === "string" ? readLimit(AmountLiteral.TextLiteral({ text: raw })) : Result.fail("invalido")
  },
  { type: "number", minimum: 0 }
)

/** The amount of an adjustment in pesos, negative to take money away. */
export const adjustment = readBy<number, number | string>(
  Schema.Int,
  (raw) => {
    if (raw instanceof NumberLiteral) return readAdjustment(raw.text)
    return typeof raw === "number" || typeof raw === "string" ? readAdjustment(String(raw)) : Result.fail("invalido")
  },
  { type: "number" }
)

const fromText = <A>(to: Schema.Codec<A, unknown>, read: (typed: string) => Option.Option<unknown>) =>
  readBy<A, string>(
    to,
    (raw) =>
      Option.match(typeof raw === "string" ? read(raw) : Option.none(), {
        onNone: () => Result.fail("invalido"),
        onSome: (value) => Result.succeed(value)
      }),
    { type: "string" }
  )

/** The taxpayer number of a business. */
export const rnc = fromText<Rnc>(Rnc, readRnc)

/** An instant in ISO 8601 with an offset. */
export const instant = fromText(Schema.toType(Schema.DateTimeUtc), readInstant)

/** An address or a range of addresses. */
export const addressRange = Schema.String.check(Schema.makeFilter(isAddressRange, { message: "invalido" }))
