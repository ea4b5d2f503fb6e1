import { Deferred, Effect, Schedule } from "effect"
import type { SeededRandom } from "../support/SeededRandom.ts"
import type { Customer } from "./environment/Environment.ts"
import type { Server } from "./environment/ServersAndSuppliers.ts"
import type { PlannedPurchase } from "./PlannedPurchases.ts"

/** What a client hears of a call. */
export interface ClientAnswer {
  /** 0 when there was none. */
  readonly status: number
  readonly code: string | null
  readonly transactionId: number | null
  readonly authCode: string | null
}

/**
 * Something that a client wants done once: a key, and all that it was answered to the calls with it, in their order.
 */
export interface ClientOperation {
  readonly customer: Customer
  readonly key: string
  readonly xid: string
  /** The sale that is to be taken back; null for an errand that is a sale. */
  readonly saleId: number | null
  readonly path: string
  readonly body: object
  readonly answers: Array<ClientAnswer>
}

const noAnswer: ClientAnswer = { status: 0, code: null, transactionId: null, authCode: null }

/** Codes of definite refusals that a key keeps: the money was held, and was given back. Contract: 4.5. */
const finalRefusals = ["INVALID_PHONE", "INVALID_AMOUNT", "TRANSACTION_REJECTED", "SEGURO_NO_EMITIDO"]

/** It was done. */
const isDone = ({ status }: ClientAnswer): boolean => status === 200 || status === 201

/** It was refused, for good. */
export const isRefused = ({ code, status }: ClientAnswer): boolean =>
  status === 422 && finalRefusals.includes(code ?? "")

/** It will never be answered otherwise. */
export const isFirm = (answer: ClientAnswer): boolean => isDone(answer) || isRefused(answer)

/** Nobody knows yet what became of it, and the client is told not to ask again by this key. */
export const isPending = ({ status }: ClientAnswer): boolean => status === 202

/** The client may, and should, try again with the same key. Contract: 4.5 and 7. */
export const isRetryable = ({ code, status }: ClientAnswer): boolean =>
  status === 0 ||
  status >= 500 ||
  (status === 409 && code === "IDEMPOTENT_REQUEST_IN_PROGRESS") ||
  (status === 422 && code === "SERVICE_UNAVAILABLE")

/** A key that has been in progress for a quarter of an hour. It is not for ever. */
export const conflictCode = "IDEMPOTENCY_CONFLICT"

/** The client knows what became of his errand, or that nobody will know soon. */
export const hasFinalAnswer = ({ answers }: ClientOperation): boolean => {
  const final = answers.at(-1)
  return final !== undefined && !isRetryable(final) && final.code !== conflictCode
}

/** What a client was answered in a few words, for the story. */
export const describeAnswer = ({ code, status }: ClientAnswer): string =>
  status === 0 ? "nothing" : `${status} ${code ?? ""}`.trim()

/** A client waits so long for an answer. */
const timeout_ms = 500

interface Envelope {
  readonly data?: { readonly transaction_id?: number; readonly auth_code?: string | null }
  readonly error?: { readonly code: string; readonly details?: { readonly transaction_id?: number } }
}

const readAnswer = async (response: Response): Promise<ClientAnswer> => {
  const { data, error } = (await response.json()) as Envelope
  return {
    status: response.status,
    code: error?.code ?? null,
    transactionId: data?.transaction_id ?? error?.details?.transaction_id ?? null,
    authCode: data?.auth_code ?? null
  }
}

/** Makes the call of an errand, once. A connection that breaks, and a server that is silent, are no answer. */
const sendOnce = (url: string, { body, customer, key, path }: ClientOperation): Effect.Effect<ClientAnswer> =>
  Effect.promise((signal) =>
    fetch(url + path, {
      method: "POST",
      headers: {
        authorization: customer.authorization,
        "content-type": "application/json",
        "idempotency-key": key
      },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)])
    })
      .then(readAnswer)
      .catch(() => noAnswer)
  )

/** Between two tries with one key. The contract recommends two seconds; a run has less patience. */
const retryPause = "60 millis"

/** A client that has tried so often does something else first. */
const tries_max = 6

/** Tries, each time at the other server, until there is an answer after which a client tries no more. */
export const retryUntilAnswered = Effect.fnUntraced(function* (
  servers: ReadonlyArray<Server>,
  errand: ClientOperation,
  tries = tries_max
) {
  for (let left = tries; left > 0; left--) {
    const server = servers[errand.answers.length % servers.length]
    const answer = yield* sendOnce(server?.url() ?? "", errand)
    errand.answers.push(answer)
    if (!isRetryable(answer)) return
    yield* Effect.sleep(retryPause)
  }
})

/** Clients at work. */
export interface ClientLoad {
  /** Buys until it is enough, or until everybody has been at every wish. Whoever waits for an answer then hangs up. */
  readonly run: Effect.Effect<void>
  readonly enough: Effect.Effect<void>
  /** Every errand on which somebody went. */
  readonly errands: ReadonlyArray<ClientOperation>
  /** Waits until so many more wishes have been tried, if so many are left. */
  readonly progress: (wishes: number) => Effect.Effect<void>
  /** Waits until nobody buys any more. */
  readonly over: Effect.Effect<void>
}

export const makeClientLoad = (
  servers: ReadonlyArray<Server>,
  lists: ReadonlyArray<ReadonlyArray<PlannedPurchase>>,
  chance: SeededRandom
): ClientLoad => {
  const errands: Array<ClientOperation> = []
  const enough = Deferred.makeUnsafe<void>()
  const over = Deferred.makeUnsafe<void>()
  let tried = 0

  const fulfil = Effect.fnUntraced(function* (turned: ReadonlyArray<Server>, { reversal, sale }: PlannedPurchase) {
    errands.push(sale)
    yield* retryUntilAnswered(turned, sale)
    const sold = sale.answers.find(isDone)
    if (reversal === null || sold === undefined || sold.transactionId === null) return
    const back = reversal(sold.transactionId)
    errands.push(back)
    yield* retryUntilAnswered(turned, back)
  })
  const client = Effect.fnUntraced(function* (list: ReadonlyArray<PlannedPurchase>, number: number) {
    const turned = number % 2 === 0 ? servers : servers.toReversed()
    for (const wish of list) {
      yield* fulfil(turned, wish)
      tried++
      yield* Effect.sleep(chance.between(5, 50))
    }
  })
  const buying = Effect.forEach(lists, client, { concurrency: "unbounded", discard: true })
  return {
    run: Effect.raceFirst(buying, Deferred.await(enough)).pipe(Effect.ensuring(Deferred.succeed(over, undefined))),
    enough: Effect.asVoid(Deferred.succeed(enough, undefined)),
    errands,
    progress: (wishes) =>
      Effect.suspend(() => {
        const goal = tried + wishes
        const there = Effect.repeat(
          Effect.sync(() => tried >= goal),
          { until: (isThere) => isThere, schedule: Schedule.spaced("5 millis") }
        )
        return Effect.raceFirst(Effect.asVoid(there), Deferred.await(over))
      }),
    over: Deferred.await(over)
  }
}
