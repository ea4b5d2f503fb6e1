import { Deferred, Effect, Schedule } from "effect"
import type { SeededRandom } from "../support/SeededRandom.ts"
import type { Customer } from "./environment/Environment.ts"
import type { Server } from "./environment/ServersAndSuppliers.ts"
import type { PlannedPurchase } from "./PlannedPurchases.ts"

/** The response to one call, as a client sees it. */
export interface ClientResponse {
  /** HTTP status; 0 when no response arrived. */
  readonly status: number
  readonly code: string | null
  readonly transactionId: number | null
  readonly authCode: string | null
  /** Header Retry-After, in seconds. */
  readonly retryAfter_s: number | null
}

/** One sale or reversal under one idempotency key, with the responses to all calls that carried the key, in order. */
export interface ClientOperation {
  readonly customer: Customer
  readonly key: string
  readonly xid: string
  /** Id of the sale to reverse; null when the operation is a sale. */
  readonly saleId: number | null
  readonly path: string
  readonly body: object
  readonly responses: Array<ClientResponse>
}

const noResponse: ClientResponse = { status: 0, code: null, transactionId: null, authCode: null, retryAfter_s: null }

/** Error codes of a final refusal that the key replays: the money was held and then released. Contract: 4.5. */
const finalRefusals = ["INVALID_PHONE", "INVALID_AMOUNT", "TRANSACTION_REJECTED", "SEGURO_NO_EMITIDO"]

/** Whether the response says that the operation succeeded. */
const isDone = ({ status }: ClientResponse): boolean => status === 200 || status === 201

/** Whether the response refuses the operation permanently. */
export const isRefused = ({ code, status }: ClientResponse): boolean =>
  status === 422 && finalRefusals.includes(code ?? "")

/** Whether the response is final. If so, every later call with the key must return the same response. */
export const isFinal = (response: ClientResponse): boolean => isDone(response) || isRefused(response)

/** Whether the outcome is still unknown. If so, the client stops retrying, because the key only replays this response. */
export const isPending = ({ status }: ClientResponse): boolean => status === 202

/** Whether the client should retry with the same key. Contract: 4.5 and 7. */
export const isRetryable = ({ code, status }: ClientResponse): boolean =>
  status === 0 ||
  status >= 500 ||
  (status === 409 && code === "IDEMPOTENT_REQUEST_IN_PROGRESS") ||
  (status === 422 && code === "SERVICE_UNAVAILABLE")

/** Code of the response to a key that has been in progress for 15 minutes. Later calls can get another response. */
export const conflictCode = "IDEMPOTENCY_CONFLICT"

/** Whether the client has no reason to retry: the last response is final, or says that the outcome is still unknown. */
export const hasFinalResponse = ({ responses }: ClientOperation): boolean => {
  const final = responses.at(-1)
  return final !== undefined && !isRetryable(final) && final.code !== conflictCode
}

/** A short text about a response, for the log of the round. */
export const describeResponse = ({ code, status }: ClientResponse): string =>
  status === 0 ? "nothing" : `${status} ${code ?? ""}`.trim()

/** Timeout of a call. */
const timeout_ms = 500

interface Envelope {
  readonly data?: { readonly transaction_id?: number; readonly auth_code?: string | null }
  readonly error?: { readonly code: string; readonly details?: { readonly transaction_id?: number } }
}

const readResponse = async (response: Response): Promise<ClientResponse> => {
  const { data, error } = (await response.json()) as Envelope
  const retryAfter = response.headers.get("retry-after")
  return {
    status: response.status,
    code: error?.code ?? null,
    transactionId: data?.transaction_id ?? error?.details?.transaction_id ?? null,
    authCode: data?.auth_code ?? null,
    retryAfter_s: retryAfter === null ? null : Number(retryAfter)
  }
}

/** Sends the request of an operation once. A broken connection and a timeout both count as no response. */
const sendOnce = (
  server: Server | undefined,
  { body, customer, key, path }: ClientOperation
): Effect.Effect<ClientResponse> =>
  Effect.promise((signal) =>
    // Without a URL, `fetch` fails like a call to a dead server.
    fetch(`${server?.url()}${path}`, {
      method: "POST",
      headers: {
        authorization: customer.authorization,
        "content-type": "application/json",
        "idempotency-key": key
      },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)])
    })
      .then(readResponse)
      .catch(() => noResponse)
  )

/** Pause between two calls with one key. The contract recommends two seconds; a shorter pause keeps the run short. */
const retryPause = "60 millis"

/** Number of calls after which a client ends an operation and continues with its next purchase. */
const tries_max = 6

/** Calls the servers in turn until a response needs no retry, or until all tries are used. */
export const retryUntilAnswered = Effect.fnUntraced(function* (
  servers: ReadonlyArray<Server>,
  operation: ClientOperation,
  tries = tries_max
) {
  for (let left = tries; left > 0; left--) {
    const server = servers[operation.responses.length % servers.length]
    const response = yield* sendOnce(server, operation)
    operation.responses.push(response)
    if (!isRetryable(response)) return
    yield* Effect.sleep(retryPause)
  }
})

/** Concurrent clients that buy. */
export interface ClientLoad {
  /**
   * Makes purchases until `stop` runs or all planned purchases were tried. Then aborts the calls that still wait for a
   * response.
   */
  readonly run: Effect.Effect<void>
  readonly stop: Effect.Effect<void>
  /** Every operation that a client started. */
  readonly operations: ReadonlyArray<ClientOperation>
  /** Waits until the clients have tried this number of further purchases, or until they stop. */
  readonly progress: (purchases: number) => Effect.Effect<void>
  /** Waits until the clients stop. */
  readonly stopped: Effect.Effect<void>
  readonly isStopped: () => boolean
}

export const makeClientLoad = (
  servers: ReadonlyArray<Server>,
  lists: ReadonlyArray<ReadonlyArray<PlannedPurchase>>,
  chance: SeededRandom
): ClientLoad => {
  const operations: Array<ClientOperation> = []
  const stop = Deferred.makeUnsafe<void>()
  const stopped = Deferred.makeUnsafe<void>()
  let tried = 0

  const makePurchase = Effect.fnUntraced(function* (
    ordered: ReadonlyArray<Server>,
    { reversal, sale }: PlannedPurchase
  ) {
    operations.push(sale)
    yield* retryUntilAnswered(ordered, sale)
    const sold = sale.responses.find(isDone)
    if (reversal === null || sold === undefined || sold.transactionId === null) return
    const back = reversal(sold.transactionId)
    operations.push(back)
    yield* retryUntilAnswered(ordered, back)
  })
  const client = Effect.fnUntraced(function* (list: ReadonlyArray<PlannedPurchase>, number: number) {
    const ordered = number % 2 === 0 ? servers : servers.toReversed()
    for (const purchase of list) {
      yield* makePurchase(ordered, purchase)
      tried++
      yield* Effect.sleep(chance.between(5, 50))
    }
  })
  const buying = Effect.forEach(lists, client, { concurrency: "unbounded", discard: true })
  return {
    run: Effect.raceFirst(buying, Deferred.await(stop)).pipe(Effect.ensuring(Deferred.succeed(stopped, undefined))),
    stop: Effect.asVoid(Deferred.succeed(stop, undefined)),
    operations,
    progress: (purchases) =>
      Effect.suspend(() => {
        const goal = tried + purchases
        const there = Effect.repeat(
          Effect.sync(() => tried >= goal),
          { until: (isThere) => isThere, schedule: Schedule.spaced("5 millis") }
        )
        return Effect.raceFirst(Effect.asVoid(there), Deferred.await(stopped))
      }),
    stopped: Deferred.await(stopped),
    isStopped: () => Deferred.isDoneUnsafe(stopped)
  }
}
