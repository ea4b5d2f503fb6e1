import { Effect, Schedule } from "effect"
import { CompanyId } from "../../core/domain/Ids.ts"
import { Amount, Centavos } from "../../core/domain/Money.ts"
import type { AdjustmentTooLarge } from "../../core/domain/OperatorErrors.ts"
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
 * Timeout of an operator's command, including its retries. It exceeds the time for which Postgres can be down or a cell
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

/** Repeats a command until it succeeds. Returns false if the sales have left too little money for the command. */
const untilMoved = <A, E, R>(command: Effect.Effect<A, E | AdjustmentTooLarge, R>) =>
  untilDone(Effect.catchTag(command, "AdjustmentTooLarge", () => Effect.succeed(false as const)))

/**
 * One operator proposes a correction, and another confirms it. Both repeat their command until it succeeds. On another
 * node, a repeated confirmation writes a missing line of the audit log. Returns whether the money has moved.
 */
const correct = Effect.fnUntraced(function* ({ centavos, companyId, reference }: MadeEntry) {
  const wanted = { reason: "wrong transfer", reference }
  const propose = proposeAdjustment(CompanyId.make(companyId), centavos, wanted)
  const funded = yield* untilMoved(actingAs("turno-1")(propose))
  if (funded === false || funded._tag !== "Proposed") return funded !== false
  return (yield* untilMoved(actingAs("turno-2")(confirmFunding(funded.proposal.number)))) !== false
})

const depositOf = ({ centavos, companyId, reference }: MadeEntry) =>
  Effect.as(untilDone(depositOrPropose(CompanyId.make(companyId), Amount.make(centavos), reference)), true)

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
    const moved = yield* isDeposit ? depositOf(entry) : correct(entry)
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
