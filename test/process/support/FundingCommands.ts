import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { by } from "../../support/CommandLine.ts"

// Arguments with which a supervisor runs a command.
export const ana = by("Ana")
export const beto = by("Beto")
export const carla = by("Carla")

/** The available pesos of a company, and its ledger entries: type, pesos, reference. */
export const booksOf = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  const entries = yield* sql<{ type: string; pesos: number; reference: string }>`
    select type, (amount / 100.0)::float8 as pesos, reference from cell.entry where company_id = ${company} order by id`
  const [row] = yield* sql<{ available: number }>`
    select (available / 100.0)::float8 as available from cell.balance where company_id = ${company}`
  return {
    available: row?.available ?? 0,
    entries: entries.map(({ pesos, reference, type }) => [type, pesos, reference])
  }
})

/** Actions in the audit log about proposals of a company, with the operator. */
export const auditOf = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  return yield* sql<{ action: string; actor: string; details: Record<string, unknown> }>`
    select action, actor, details
    from directory.audit_event
    where company_id = ${company} and action like 'funding%'
    order by id`
})

/** Arguments of a deposit. */
export const depositOf = (company: number, pesos: string, reference: string) =>
  ["company", "deposit", `${company}`, pesos, "--referencia", reference] as const

/** Arguments of a correction. */
export const correctionOf = (company: number, pesos: string, reference: string) =>
  [
    "company",
    "adjust",
    `${company}`,
    pesos,
    "--referencia",
    reference,
    "--motivo",
    "Transfer of another company"
  ] as const
