import { PgClient } from "@effect/sql-pg"
import { Effect, Predicate } from "effect"
import type { ErrorCode } from "../../../core/domain/ErrorCodes.ts"
import type { Status } from "../../../core/domain/Status.ts"
import { endpoints, operationIdOf } from "../../../facade/api/Procedures.ts"
import { isQuery } from "../request/OperationCall.ts"
import { type CallResult, callResultsOf, type Exchange, isSuccess, type Violation } from "./Exchange.ts"

const permissions = new Map(endpoints.map((endpoint) => [operationIdOf(endpoint), endpoint.procedure.gate.permission]))

const accessViolation = (what: string): ReadonlyArray<Violation> => [
  { invariant: "no caller exceeds its permissions", what }
]

const admission = ({ caller }: Exchange, { operation }: CallResult): ReadonlyArray<Violation> => {
  if (!operation.guarded) return []
  if (caller.companyId === null) return accessViolation("invalid credentials were accepted")
  const needed = permissions.get(operation.name)
  return caller.permission === null || caller.permission === needed
    ? []
    : accessViolation(`a token for ${caller.permission} was used for ${needed}`)
}

/** The ids in a response that belong to one company. */
const namesIn = (payload: CallResult["payload"]): ReadonlyArray<string> => {
  const items = payload?.["items"]
  const all = [payload, ...(Array.isArray(items) ? items : [])]
  return all.flatMap((each) =>
    ["transaction_id", "seguro_id", "webhook_id"].flatMap((field) =>
      Predicate.hasProperty(each, field) && typeof each[field] === "number" ? [`${field} ${each[field]}`] : []
    )
  )
}

export interface AccessInvariant {
  readonly faults: (exchange: Exchange) => ReadonlyArray<Violation>
}

/** Checks that callers are authorised and see only data of their own company. Contract: 1 and 5. */
export const accessInvariant = (): AccessInvariant => {
  const owners = new Map<string, number>()

  const ownership = ({ caller: { companyId } }: Exchange, ended: CallResult): ReadonlyArray<Violation> => {
    if (companyId === null) return []
    const names = namesIn(ended.payload)
    const foreign = names.filter((name) => (owners.get(name) ?? companyId) !== companyId)
    if (foreign.length === 0) for (const name of names) owners.set(name, companyId)
    return foreign.flatMap((name) =>
      accessViolation(`${name} of company ${owners.get(name)} was shown to ${companyId}`)
    )
  }

  return {
    faults: (exchange) =>
      callResultsOf(exchange).flatMap((ended) => [
        ...(isSuccess(ended) ? admission(exchange, ended) : []),
        ...ownership(exchange, ended)
      ])
  }
}

/** The latest response to a sale under one key. */
interface SaleResponse {
  readonly transactionId: number
  readonly status: number
}

/** Statuses that a sale may have at the end of the run, by the HTTP status of the response about it. Contract: 3.1. */
const allowedStatuses: Readonly<Record<number, ReadonlyArray<Status>>> = {
  201: ["SUCCESS", "REVERSED"],
  202: ["PENDING", "SUCCESS", "FAILED", "REVERSED"]
}

// tRPC returns 200 for every success, so 201 and 202 are restored here.
const statusOf = ({ code, status }: CallResult): number =>
  code === "TRANSACTION_PENDING" ? 202 : status < 300 ? 201 : status

export interface KeptResponsesInvariant {
  readonly faults: (exchange: Exchange) => ReadonlyArray<Violation>
  /** One violation for each sale that does not agree with the responses about it. */
  readonly atTheEnd: Effect.Effect<ReadonlyArray<Violation>, never, PgClient.PgClient>
}

const statusesNow = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{ id: bigint; status: Status }>`select id, status from cell.transaction`
  return new Map(rows.map(({ id, status }) => [Number(id), status]))
})

/** Checks that a key always receives the same response about its sale. Contract: 3.1 and 3.2. */
export const keptResponsesInvariant = (): KeptResponsesInvariant => {
  const latest = new Map<string, SaleResponse>()
  /** Sales whose key was used again for a newer sale. This is only allowed after a failed sale. */
  const replaced = new Set<number>()

  const record = (ended: CallResult, companyId: number): ReadonlyArray<Violation> => {
    const transactionId = Number(ended.payload?.["transaction_id"])
    const xid = ended.payload?.["xid"]
    const now = { transactionId, status: statusOf(ended) }
    if (
      ended.operation.name !== "recargasCrear" ||
      typeof xid !== "string" ||
      allowedStatuses[now.status] === undefined
    )
      return []
    const name = `${companyId} ${xid}`
    const before = latest.get(name) ?? now
    const isSame = before.transactionId === transactionId
    if (isSame ? before.status !== now.status : before.status !== 202) {
      const what = `${xid} was sale ${before.transactionId} with ${before.status}, now it is ${transactionId} with ${now.status}`
      return [{ invariant: "a key always gets the same response", what }]
    }
    latest.set(name, now)
    if (!isSame) replaced.add(before.transactionId)
    return []
  }

  const wanted = (): ReadonlyArray<readonly [id: number, statuses: ReadonlyArray<Status>]> => [
    ...[...latest.values()].map(({ status, transactionId }) => [transactionId, allowedStatuses[status] ?? []] as const),
    ...[...replaced].map((transactionId) => [transactionId, ["FAILED"]] as const)
  ]

  return {
    faults: (exchange) =>
      callResultsOf(exchange).flatMap((ended) =>
        exchange.caller.companyId === null ? [] : record(ended, exchange.caller.companyId)
      ),
    atTheEnd: Effect.map(statusesNow, (statuses) =>
      wanted().flatMap(([id, allowed]): ReadonlyArray<Violation> => {
        const stands = statuses.get(id)
        return stands !== undefined && allowed.includes(stands)
          ? []
          : [
              {
                invariant: "a sale agrees with its response",
                what: `sale ${id} is ${stands}, not ${allowed.join(" or ")}`
              }
            ]
      })
    ).pipe(Effect.orDie)
  }
}

/** Row count and content hash of each table, for the rows of some companies. */
export type TableDigests = ReadonlyArray<string>

// The table of replays is excluded. A replay is recorded after its response, possibly while another call is being
// checked.
const tablesOf = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return yield* sql<{ name: string }>`
    select table_name as name
    from information_schema.columns
    where table_schema = 'cell' and column_name = 'company_id' and table_name <> 'replay'
    order by table_name`
})

/** Digests the stored data of some companies. */
export interface TableWatch {
  readonly look: Effect.Effect<TableDigests>
}

export const watchTables = Effect.fnUntraced(function* (companies: ReadonlyArray<number>) {
  const sql = yield* PgClient.PgClient
  const ids = companies.join(", ")
  const parts = (yield* tablesOf).map(
    ({ name }) => `
    select '${name}' as name, count(*)::int4 as rows, coalesce(sum(hashtext(t::text)), 0)::text as held
    from cell.${name} as t
    where company_id in (${ids})`
  )
  const statement = parts.join(" union all ")
  const found = sql.unsafe<{ name: string; rows: number; held: string }>(statement)
  const look = Effect.map(found, (tables) => tables.map(({ held, name, rows }) => `${name}: ${rows} rows, ${held}`))
  return { look: Effect.orDie(look) } satisfies TableWatch
}, Effect.orDie)

/** Codes of refusals that happen after the reservation, or after an attempt was counted. Contract: 3.1 and 4.6. */
const refusedAfterReservation: ReadonlySet<ErrorCode | undefined> = new Set<ErrorCode>([
  "INVALID_PHONE",
  "TRANSACTION_REJECTED",
  "SEGURO_NO_EMITIDO",
  "OTP_INCORRECTO"
])

const mayChange = ({ code, operation, replayed, status }: CallResult): boolean =>
  !isQuery(operation) && !replayed && (status < 300 || refusedAfterReservation.has(code))

/** Checks that reads, refusals before the reservation and replays change no data. Contract: 3.2 and 4.5. */
export const unchangedFaults = (
  exchanges: ReadonlyArray<Exchange>,
  before: TableDigests,
  after: TableDigests
): ReadonlyArray<Violation> => {
  if (exchanges.some((exchange) => callResultsOf(exchange).some(mayChange))) return []
  const changed = after.filter((line, index) => line !== before[index])
  return changed.map((line) => ({
    invariant: "a refusal changes nothing",
    what: `${line}; before: ${before[after.indexOf(line)]}`
  }))
}
