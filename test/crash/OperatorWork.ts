import { PgClient } from "@effect/sql-pg"
import { Effect, Schedule } from "effect"
import { CompanyId } from "../../core/domain/Ids.ts"
import { Amount, Centavos } from "../../core/domain/Money.ts"
import { changeCompany, deposit } from "../../core/workflows/ManageCompany.ts"
import type { SeededRandom } from "../support/SeededRandom.ts"
import type { ClientLoad } from "./Clients.ts"
import type { Customer } from "./environment/Environment.ts"

/** A deposit that the operator has made. */
export interface MadeDeposit {
  readonly companyId: number
  readonly reference: string
  readonly centavos: number
}

/** Timeout of a deposit with all its retries. It exceeds the time for which Postgres can be down. */
const deposit_max = "2 minutes"

/**
 * Makes deposits until the clients stop. A deposit whose outcome is unknown is repeated with the same reference, as an
 * operator would do.
 *
 * @param when unique name of this part of the run.
 */
export const depositDuring = Effect.fnUntraced(function* (
  load: ClientLoad,
  customers: ReadonlyArray<Customer>,
  chance: SeededRandom,
  when: string
) {
  const made: Array<MadeDeposit> = []
  while (!load.isStopped()) {
    const { companyId } = chance.pick(customers)
    const reference = `${when} number ${made.length + 1} deposit`
    const centavos = chance.between(10_000, 50_000)
    yield* deposit(companyId, Amount.make(centavos), reference).pipe(
      Effect.catchDefect(Effect.fail),
      Effect.retry(Schedule.spaced("50 millis").pipe(Schedule.upTo({ duration: deposit_max }))),
      Effect.orDie
    )
    made.push({ companyId, reference, centavos })
    yield* Effect.sleep(chance.between(10, 60))
  }
  return made
})

/**
 * Sets the low-balance alert of each company to its available amount. The sales and deposits that follow then cross this
 * value often.
 */
export const setAlertValues = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const balances = yield* sql<{ company: number; available: number }>`
    select company_id::float8 as company, available::float8 as available from cell.balance order by company_id`
  for (const { available, company } of balances) {
    yield* changeCompany(CompanyId.make(company), {}, { lowBalanceAlert: Centavos.make(available) })
  }
}).pipe(Effect.orDie)
