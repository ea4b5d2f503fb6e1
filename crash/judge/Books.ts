import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { Audit } from "../../core/ports/Audit.ts"

/** A sale as the database has it. */
export interface Sale {
  readonly companyId: number
  readonly id: number
  readonly xid: string
  readonly status: string
  readonly centavos: number
  readonly authCode: string | null
}

/** A reversal as the database has it. */
export interface Reversal {
  readonly xid: string
  readonly saleId: number
  readonly status: string
}

/** What the database says when all is over. */
export interface Books {
  readonly sales: ReadonlyArray<Sale>
  readonly reversals: ReadonlyArray<Reversal>
  /** What each company owns, in centavos. */
  readonly owned: ReadonlyMap<number, number>
  /** What the operator was warned of: a firm answer that came after another one. */
  readonly alerts: ReadonlyArray<string>
  /** The invariants that an audit finds broken. */
  readonly broken: ReadonlyArray<string>
}

export const readBooks = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const sales = yield* sql<Sale>`
    select company_id::float8 as "companyId", id::float8 as id, xid, status, amount::float8 as centavos,
      auth_code as "authCode"
    from cell.transaction
    order by id`
  const reversals = yield* sql<Reversal>`
    select xid, transaction_id::float8 as "saleId", status from cell.reversal order by id`
  const balances = yield* sql<{ company: number; owned: number }>`
    select company_id::float8 as company, owned::float8 as owned from cell.balance`
  const alerts = yield* sql<{ alert: string }>`
    select action || ' ' || details as alert from directory.audit_event where action like 'late%'`
  const examined = yield* Audit.use(({ prove }) => prove)
  return {
    sales,
    reversals,
    owned: new Map(balances.map(({ company, owned }) => [company, owned])),
    alerts: alerts.map(({ alert }) => alert),
    broken: examined.flatMap(({ invariant, offenders, violations }) =>
      violations === 0 ? [] : [`${invariant}: ${violations}, such as ${JSON.stringify(offenders[0])}`]
    )
  } satisfies Books
}).pipe(Effect.orDie)
