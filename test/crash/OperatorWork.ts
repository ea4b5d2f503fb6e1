import { Effect, Schedule } from "effect"
import { CompanyId } from "../../core/domain/Ids.ts"
import { Amount, Centavos } from "../../core/domain/Money.ts"
import { confirmFunding, depositOrPropose, proposeAdjustment } from "../../core/workflows/FundCompany.ts"
import { changeCompany } from "../../core/workflows/ManageCompany.ts"
import { actingAs } from "../support/OperatorAccounts.ts"
import type { SeededRandom } from "../support/SeededRandom.ts"
import type { ClientLoad } from "./Clients.ts"
import { readCells } from "./environment/CellReads.ts"
import type { Customer } from "./environment/Environment.ts"

/** A deposit or correction that operators have made. */
export interface MadeEntry {
  readonly companyId: number
  readonly reference: string
  /** Negative if a correction has taken money away. */
  readonly centavos: number
}

/**
 * Timeout of a command of an operator with all its retries. It exceeds the time for which Postgres can be down or a cell
 * can be closed.
 */
const command_max = "2 minutes"

/** Repeats a command of an operator until it succeeds, because its outcome may be unknown. */
export const untilDone = <A, E, R>(command: Effect.Effect<A, E, R>) =>
  Effect.orDie(command).pipe(
    Effect.catchDefect(Effect.fail),
    Effect.retry(Schedule.spaced("50 millis").pipe(Schedule.upTo({ duration: command_max }))),
    Effect.orDie
  )

/** One operator proposes a correction, and another confirms it. Returns whether the money has moved. */
const correct = ({ centavos, companyId, reference }: MadeEntry) =>
  Effect.gen(function* () {
    const wanted = { reason: "wrong transfer", reference }
    const funded = yield* actingAs("turno-1")(proposeAdjustment(CompanyId.make(companyId), centavos, wanted))
    if (funded._tag === "Proposed") yield* actingAs("turno-2")(confirmFunding(funded.proposal.number))
    return true
    // The sales may have left too little.
  }).pipe(Effect.catchTag("AdjustmentTooLarge", () => Effect.succeed(false)))

const depositOf = ({ centavos, companyId, reference }: MadeEntry) =>
  Effect.as(depositOrPropose(CompanyId.make(companyId), Amount.make(centavos), reference), true)

/**
 * Makes deposits and corrections until the clients stop. A call with an unknown outcome, or for a company of a closed
 * cell, is repeated with the same reference, as an operator would do.
 *
 * @param when unique name of this part of the run.
 */
export const fundDuring = Effect.fnUntraced(function* (
  load: ClientLoad,
  customers: ReadonlyArray<Customer>,
  chance: SeededRandom,
  when: string
) {
  const made: Array<MadeEntry> = []
  for (let number = 1; !load.isStopped(); number++) {
    const { companyId } = chance.pick(customers)
    const isDeposit = chance.happens(0.4)
    const centavos = chance.between(10_000, 50_000) * (isDeposit || chance.happens(0.4) ? 1 : -1)
    const entry = { companyId, centavos, reference: `${when} number ${number} ${isDeposit ? "deposit" : "correction"}` }
    const moved = yield* isDeposit ? untilDone(depositOf(entry)) : untilDone(correct(entry))
    if (moved) made.push(entry)
    yield* Effect.sleep(chance.between(10, 60))
  }
  return made
})

/**
 * Sets the low-balance alert of each company to its available amount. The sales and deposits that follow then cross this
 * value often.
 */
export const setAlertValues = Effect.gen(function* () {
  const balances = yield* readCells<{ company: number; available: number }>(
    "select company_id::float8 as company, available::float8 as available from all_cells.balance"
  )
  for (const { available, company } of balances) {
    yield* changeCompany(CompanyId.make(company), {}, { lowBalanceAlert: Centavos.make(available) })
  }
}).pipe(Effect.orDie)
