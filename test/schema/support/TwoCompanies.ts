import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { TestDatabase } from "../../support/Database.ts"
import { sellInEveryState } from "../../support/EveryState.ts"
import { begunInsurance } from "../../support/InsuranceStages.ts"
import { insurancesReplica } from "../../support/Insuring.ts"
import { setBlockLength } from "../../support/SalesHistory.ts"

export const one = CompanyId.make(1)
export const other = CompanyId.make(2)

/** Two companies that have rows in every table that is read for one. */
export const populated = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* setBlockLength(1)
    for (const company of [one, other]) {
      yield* sellInEveryState(company)
      yield* begunInsurance(yield* insurancesReplica, company)
      yield* sql`
        insert into cell.option (company_id, id, service_id, identifier, reference, name, price, expires_at)
        values (${company}, 'o', 3, '8095550123', 'P1', 'Paquete', 100, '2030-01-01')`
    }
  })
).pipe(Layer.provideMerge(TestDatabase))
