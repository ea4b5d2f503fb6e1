import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect, Layer } from "effect"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import * as PanoramaPostgres from "../../../adapters/postgres/reads/PanoramaPostgres.ts"
import type { Environment } from "../../../core/domain/Company.ts"
import { TestDatabase } from "../../support/Database.ts"

/** The ports of the panorama on a new database. */
export const PanoramaDatabase = Layer.mergeAll(PanoramaPostgres.layer, AuditPostgres.layer).pipe(
  Layer.provideMerge(TestDatabase)
)

export const run = (statement: string) => PgClient.PgClient.use((sql) => sql.unsafe(statement).unprepared)

export const at = (text: string) => DateTime.makeUnsafe(text)

export type Sale = readonly [createdAt: string, status: string, service: number, centavos: number, seconds?: number]

/** Writes sales directly into the table. A settled sale is settled after 1 s, or after the given time. */
export const sell = (sales: ReadonlyArray<Sale>, environment: Environment = "production", type = "mobile_recharge") =>
  Effect.forEach(sales, ([createdAt, status, service, centavos, seconds = 1]) =>
    run(`
      insert into cell.transaction (
        company_id, id, xid, idempotency_key, status, environment, service_id, service_name, service_type, identifier,
        amount, reversible, day, created_at, processed_at, auth_code
      )
      select 1, id, 'x-' || id, 'k-' || id, '${status}', '${environment}', ${service}, 'Servicio ${service}', '${type}', 'iii',
        ${centavos}, true, '2026-03-10', '${createdAt}',
        case when '${status}' not in ('PROCESSING', 'PENDING') then timestamptz '${createdAt}' + interval '${seconds} s' end,
        case when '${status}' in ('SUCCESS', 'REVERSED') then 'A' end
      from nextval('cell.transaction_id') as id`)
  )

export const addCompany = (name: string, environment: Environment, available = 0, alert = 0, state = "activa") =>
  Effect.andThen(
    run(`
      insert into directory.company (legal_name, code, environment, state, created_at)
      values ('${name}', '${name}', '${environment}', '${state}', 'epoch')`),
    run(`
      insert into cell.balance (company_id, available, low_balance_alert, updated_at)
      select id, ${available}, ${alert}, 'epoch' from directory.company where code = '${name}'`)
  )
