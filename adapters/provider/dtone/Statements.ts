import { Data, Effect, Option, Schema } from "effect"
import type { Amount } from "../../../core/domain/Money.ts"
import { TextBetween } from "../../../core/domain/Text.ts"
import { optionalOrNull } from "../../http/GatewayProtocol.ts"
import type { DtOneApi } from "./DtOneApi.ts"
import { faultsIn, isNoSuchParty, logFacts } from "./Faults.ts"
import { pesosOf } from "./Transaction.ts"

/** A bill. DT One DVS API 1.23.0, Statement. */
const Statement = Schema.Struct({
  // The reference is sent back to pay the bill, so hidden characters cannot be removed from it.
  reference: TextBetween(1, 200),
  dates: Schema.Struct({ due: optionalOrNull(Schema.String) }),
  balance: Schema.Struct({ unit: Schema.String, amount: Schema.Finite })
})
type Statement = typeof Statement.Type

const decode = Schema.decodeUnknownOption(Schema.Array(Statement))

/** A bill with an amount due. */
interface Bill {
  readonly reference: string
  /** Due date, as `YYYY-MM-DD`. Null if DT One states none. */
  readonly dueOn: string | null
  readonly amount: Amount
}

/** The result of an account lookup. */
type Account = Data.TaggedEnum<{
  Owes: { readonly bills: ReadonlyArray<Bill> }
  NotFound: {}
  NoAnswer: {}
}>
export const Account = Data.taggedEnum<Account>()

/** Looks up the unpaid bills of an account. */
export const accountOf = Effect.fnUntraced(function* (api: DtOneApi, productId: number, number: string) {
  const answer = yield* api.statements(productId, number)
  if (answer._tag === "Answered") {
    const statements = answer.status === 200 ? Option.getOrNull(decode(answer.body)) : null
    if (statements !== null) return Account.Owes({ bills: yield* billsIn(statements) })
    if (isNoSuchParty(answer.status, faultsIn(answer.body))) return Account.NotFound()
  }
  yield* Effect.logWarning("DT One did not answer the lookup of bills", { productId, ...logFacts(answer) })
  return Account.NoAnswer()
})

const isoDate = /^\d{4}-\d{2}-\d{2}$/

// Leaves out bills that share a reference, because a bill is paid by its reference. Also leaves out bills in a currency
// other than DOP.
const billsIn = Effect.fnUntraced(function* (statements: ReadonlyArray<Statement>) {
  const bills: Array<Bill> = []
  const byReference = Map.groupBy(statements, ({ reference }) => reference)
  for (const { balance, dates, reference } of statements.filter(({ balance }) => balance.amount > 0)) {
    const amount = pesosOf(balance)
    const namesakes = byReference.get(reference)?.length ?? 0
    if (amount === null || namesakes > 1) {
      yield* Effect.logWarning("a bill of DT One cannot be sold", { unit: balance.unit, namesakes })
    } else {
      const due = dates.due ?? null
      bills.push({ reference, amount, dueOn: due !== null && isoDate.test(due) ? due : null })
    }
  }
  return bills
})
