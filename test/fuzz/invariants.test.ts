import { randomUUID } from "node:crypto"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { ApiResponse } from "../support/ApiDocument.ts"
import { freshDatabaseUrl } from "../support/Database.ts"
import { neverSucceeded } from "./invariants/Coverage.ts"
import { type HttpRequest, headerNamed, withHeader } from "./request/HttpRequest.ts"
import { type FuzzOutcome, type FuzzPlan, fuzz } from "./run/Fuzz.ts"
import { HttpClient, type Send, serviceOn } from "./service/ServiceUnderTest.ts"

describe("the coverage of the document", () => {
  it("requires every documented success status, and no failure status", () => {
    const sold = { endpoint: "POST /v1/recargas", requests: 2, seen: [201, 422], never: [202, 409] }
    const asked = { endpoint: "GET /v1/saldo", requests: 1, seen: [200], never: [401] }
    assert.deepStrictEqual(neverSucceeded([sold, asked]), ["POST /v1/recargas never returned 202"])
  })
})

const world = Layer.unwrap(Effect.map(freshDatabaseUrl, serviceOn))

const quietly = () => Effect.void

/** Wraps the connection to the service so that it misbehaves. */
type Tampering = (send: Send) => Send

/** Sends requests unchanged and replaces their responses. */
const answering =
  (tamper: (answer: ApiResponse, request: HttpRequest) => ApiResponse | null): Tampering =>
  (send) =>
  (request) =>
    Effect.map(send(request), (answer) => (answer === null ? null : tamper(answer, request)))

const fuzzedOver = Effect.fnUntraced(function* (tampering: Tampering, { requests, seed }: FuzzPlan) {
  const { port, send } = yield* HttpClient
  return yield* Effect.provideService(fuzz({ requests, seed }, quietly), HttpClient, { port, send: tampering(send) })
})

const brokenInvariantsOf = ({ atTheEnd, counterexample }: FuzzOutcome): ReadonlyArray<string> =>
  [...(counterexample === null ? [] : [counterexample.broken]), ...atTheEnd].map(({ invariant }) => invariant)

const withBody = (answer: ApiResponse, body: unknown): ApiResponse => ({ ...answer, body, text: JSON.stringify(body) })

const withoutHeader = (answer: ApiResponse, name: string): ApiResponse => {
  const headers = new Headers(answer.headers)
  headers.delete(name)
  return { ...answer, headers }
}

const isSale = ({ path }: HttpRequest): boolean => /^\/v1\/(recargas|recharges)$/.test(path)

/** Replaces the transaction id in the responses to sales. */
const renumbering = (other: (id: number) => number): Tampering =>
  answering((answer, request) => {
    if (!isSale(request) || answer.status !== 201) return answer
    const { data } = answer.body
    return withBody(answer, { ...answer.body, data: { ...data, transaction_id: other(data.transaction_id) } })
  })

const failing: Tampering = answering((answer, request) => {
  if (!isSale(request)) return answer
  const error = { code: "INTERNAL_ERROR", message: "Error interno." }
  const request_id = answer.headers.get("x-request-id")
  return { ...withBody(answer, { success: false, error, request_id }), status: 500 }
})

/** Makes an additional sale before each read of transactions. */
const meddling: Tampering = (send) => (request) => {
  const { method, path } = request
  if (method !== "GET" || !path.startsWith("/v1/transac")) return send(request)
  const sale = withHeader(
    { ...request, method: "POST", path: "/v1/recargas", query: [] },
    "Idempotency-Key",
    randomUUID()
  )
  const body = '{"service_id":1,"identifier":"8095551233","amount":100}'
  return Effect.andThen(send(withHeader({ ...sale, body }, "Content-Type", "application/json")), send(request))
}

/** Repeats each rejected request with the credentials of a caller that has made a sale. */
const lending = (): Tampering => {
  let lent: string | undefined
  return (send) => (request) =>
    Effect.flatMap(send(request), (answer) => {
      if (isSale(request) && answer?.status === 201) lent ??= headerNamed(request, "Authorization")
      return answer?.status === 401 && lent !== undefined
        ? send(withHeader(request, "Authorization", lent))
        : Effect.succeed(answer)
    })
}

/** Gives a sale a new transaction id in every response. */
const renumberingAgain = (): Tampering => {
  let last = 1_000_000
  return renumbering(() => {
    last += 1
    return last
  })
}

/**
 * A tampered connection for each invariant. Every run has its own seed, because the seed is part of the names of its
 * companies. A run ends at the first violated invariant.
 */
const tamperings: ReadonlyArray<readonly [invariant: string, tampering: Tampering, plan: FuzzPlan]> = [
  [
    "every request gets a response",
    answering((answer, { method }) => (method === "POST" ? null : answer)),
    { requests: 200, seed: 1 }
  ],
  ["no unexpected server error", failing, { requests: 300, seed: 2 }],
  [
    "every response matches the OpenAPI document",
    answering((answer) =>
      answer.body?.data?.moneda === undefined ? answer : withBody(answer, { ...answer.body, x: 1 })
    ),
    { requests: 300, seed: 3 }
  ],
  [
    "every response has the common headers",
    answering((answer) => withoutHeader(answer, "x-frame-options")),
    { requests: 100, seed: 4 }
  ],
  [
    "every response has the envelope",
    answering((answer) => {
      if (answer.status !== 404) return answer
      return withBody(answer, { ...answer.body, error: { ...answer.body?.error, message: "" } })
    }),
    { requests: 300, seed: 5 }
  ],
  [
    "every tRPC call has its own result",
    answering((answer) => (Array.isArray(answer.body) ? withBody(answer, answer.body.slice(1)) : answer)),
    { requests: 2_000, seed: 6 }
  ],
  ["no caller exceeds its permissions", lending(), { requests: 1_600, seed: 7 }],
  ["a refusal changes nothing", meddling, { requests: 800, seed: 8 }],
  ["a key always gets the same response", renumberingAgain(), { requests: 2_400, seed: 9 }],
  ["a sale agrees with its response", renumbering((id) => id + 1_000_000), { requests: 200, seed: 10 }]
]

layer(world, { excludeTestServices: true })("requests generated from the OpenAPI document", (it) => {
  it.effect.each(tamperings)("detect a service that violates: %s", ([invariant, tamper, plan]) =>
    Effect.gen(function* () {
      assert.include(brokenInvariantsOf(yield* fuzzedOver(tamper, plan)), invariant)
    })
  )

  it.effect("shrink a failing run to the requests that the failure needs", () =>
    Effect.gen(function* () {
      const { counterexample } = yield* fuzzedOver(failing, { requests: 300, seed: 11 })
      assert.strictEqual(counterexample?.sent.length, 1)
      assert.strictEqual(counterexample?.sent[0]?.answer?.status, 500)
    })
  )
})
