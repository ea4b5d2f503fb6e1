import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { CompanyId, InsuranceId } from "../../core/domain/Ids.ts"
import type { InsuranceState } from "../../core/domain/InsuranceState.ts"
import { type InsuranceEvent, statesBefore } from "../../core/domain/InsuranceTransitions.ts"
import { int8 } from "./Parameters.ts"

/** Conditions for the statements that change an insurance, and a query for its state. */
export const insuranceGuards = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const ofId = (companyId: CompanyId, id: InsuranceId) => sql`company_id = ${int8(companyId)} and id = ${int8(id)}`

  /** The state allows this event. Contract: 3.3. */
  const inOrder = (event: InsuranceEvent) => sql.in("state", statesBefore(event))

  const stateOf = Effect.fnUntraced(function* (companyId: CompanyId, id: InsuranceId) {
    const [row] = yield* sql<{ state: InsuranceState }>`
      select state from cell.insurance where ${ofId(companyId, id)}`
    return row === undefined ? yield* Effect.die(new Error(`insurance ${id} does not exist`)) : row.state
  }, Effect.orDie)

  return { ofId, inOrder, stateOf }
})
