import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Status } from "../../core/domain/Status.ts"
import { type Broken, type Ended, type Exchange, endsOf } from "./Exchange.ts"

/** What a client was told of a sale. */
interface Told {
  readonly transactionId: number
  readonly status: number
}

/** How a sale may stand that was answered so. Contract: 3.1. */
const kept: Readonly<Record<number, ReadonlyArray<Status>>> = {
  201: ["SUCCESS", "REVERSED"],
  202: ["PENDING", "SUCCESS", "FAILED", "REVERSED"]
}

// tRPC knows neither 201 nor 202 for what went well.
const statusOf = ({ code, status }: Ended): number =>
  code === "TRANSACTION_PENDING" ? 202 : status < 300 ? 201 : status

export interface PromisesLaw {
  readonly faults: (exchange: Exchange) => ReadonlyArray<Broken>
  /** Whether every sale that anybody was told of stands as it was told. */
  readonly atTheEnd: Effect.Effect<ReadonlyArray<Broken>, never, PgClient.PgClient>
}

const statusesNow = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{ id: bigint; status: Status }>`select id, status from cell.transaction`
  return new Map(rows.map(({ id, status }) => [Number(id), status]))
})

/** A sale has one answer, and it is kept. Contract: 3.1 and 3.2. */
export const promisesLaw = (): PromisesLaw => {
  const told = new Map<string, Told>()
  /** Sales whose key has named another one since: only a failed one makes room. */
  const succeeded = new Set<number>()

  const hear = (ended: Ended, companyId: number): ReadonlyArray<Broken> => {
    const transactionId = Number(ended.told?.["transaction_id"])
    const xid = ended.told?.["xid"]
    const now = { transactionId, status: statusOf(ended) }
    if (ended.operation.name !== "recargasCrear" || typeof xid !== "string" || kept[now.status] === undefined) return []
    const name = `${companyId} ${xid}`
    const before = told.get(name) ?? now
    const isSame = before.transactionId === transactionId
    if (isSame ? before.status !== now.status : before.status !== 202) {
      const what = `${xid} was sale ${before.transactionId} with ${before.status}, now it is ${transactionId} with ${now.status}`
      return [{ law: "a key has one answer", what }]
    }
    told.set(name, now)
    if (!isSame) succeeded.add(before.transactionId)
    return []
  }

  const wanted = (): ReadonlyArray<readonly [id: number, statuses: ReadonlyArray<Status>]> => [
    ...[...told.values()].map(({ status, transactionId }) => [transactionId, kept[status] ?? []] as const),
    ...[...succeeded].map((transactionId) => [transactionId, ["FAILED"]] as const)
  ]

  return {
    faults: (exchange) =>
      endsOf(exchange).flatMap((ended) =>
        exchange.caller.companyId === null ? [] : hear(ended, exchange.caller.companyId)
      ),
    atTheEnd: Effect.map(statusesNow, (statuses) =>
      wanted().flatMap(([id, allowed]): ReadonlyArray<Broken> => {
        const stands = statuses.get(id)
        return stands !== undefined && allowed.includes(stands)
          ? []
          : [{ law: "a sale stands as it was told", what: `sale ${id} is ${stands}, not ${allowed.join(" or ")}` }]
      })
    ).pipe(Effect.orDie)
  }
}
