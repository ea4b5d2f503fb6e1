import { randomUUID } from "node:crypto"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { ApiResponse } from "../support/ApiDocument.ts"
import { freshDatabaseUrl } from "../support/Database.ts"
import { neverSucceeded } from "./invariants/Coverage.ts"
import { type HttpRequest, headerNamed, withHeader } from "./request/HttpRequest.ts"
import { type FuzzOutcome, type FuzzPlan, fuzz } from "./run/Fuzz.ts"
import { HttpClient, type Send, serviceOn } from "./service/ServiceUnderTest.ts"

describe("what was seen of the document", () => {
  it("wants every success, and no failure", () => {
    const sold = { door: "POST /v1/recargas", requests: 2, seen: [201, 422], never: [202, 409] }
    const asked = { door: "GET /v1/saldo", requests: 1, seen: [200], never: [401] }
    assert.deepStrictEqual(neverSucceeded([sold, asked]), ["POST /v1/recargas was never answered with 202"])
  })
})

const world = Layer.unwrap(Effect.map(freshDatabaseUrl, serviceOn))

const quietly = () => Effect.void

/** A way to the service on which something goes wrong. */
type Bend = (send: Send) => Send

/** Requests go well, and what comes back is another answer. */
const answering =
  (tamper: (answer: ApiResponse, request: HttpRequest) => ApiResponse | null): Bend =>
  (send) =>
  (request) =>
    Effect.map(send(request), (answer) => (answer === null ? null : tamper(answer, request)))

const fuzzedOver = Effect.fnUntraced(function* (bend: Bend, { requests, seed }: FuzzPlan) {
  const { port, send } = yield* HttpClient
  return yield* Effect.provideService(fuzz({ requests, seed }, quietly), HttpClient, { port, send: bend(send) })
})

const lawsOf = ({ atTheEnd, counterexample }: FuzzOutcome): ReadonlyArray<string> =>
  [...(counterexample === null ? [] : [counterexample.broken]), ...atTheEnd].map(({ law }) => law)

const withBody = (answer: ApiResponse, body: unknown): ApiResponse => ({ ...answer, body, text: JSON.stringify(body) })

const withoutHeader = (answer: ApiResponse, name: string): ApiResponse => {
  const headers = new Headers(answer.headers)
  headers.delete(name)
  return { ...answer, headers }
}

const isSale = ({ path }: HttpRequest): boolean => /^\/v1\/(recargas|recharges)$/.test(path)

/** Sales under other numbers. */
const renumbering = (other: (id: number) => number): Bend =>
  answering((answer, request) => {
    if (!isSale(request) || answer.status !== 201) return answer
    const { data } = answer.body
    return withBody(answer, { ...answer.body, data: { ...data, transaction_id: other(data.transaction_id) } })
  })

const failing: Bend = answering((answer, request) => {
  if (!isSale(request)) return answer
  const error = { code: "INTERNAL_ERROR", message: "Error interno." }
  const request_id = answer.headers.get("x-request-id")
  return { ...withBody(answer, { success: false, error, request_id }), status: 500 }
})

/** A sale of its own beside each question. */
const meddling: Bend = (send) => (request) => {
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

/** Lets in whoever was turned away, by the credentials of somebody who has sold something. */
const lending = (): Bend => {
  let lent: string | undefined
  return (send) => (request) =>
    Effect.flatMap(send(request), (answer) => {
      if (isSale(request) && answer?.status === 201) lent ??= headerNamed(request, "Authorization")
      return answer?.status === 401 && lent !== undefined
        ? send(withHeader(request, "Authorization", lent))
        : Effect.succeed(answer)
    })
}

/** Each time a sale is told of it has another number. */
const renumberingAgain = (): Bend => {
  let last = 1_000_000
  return renumbering(() => {
    last += 1
    return last
  })
}

/**
 * The companies of a run are named after its seed, so each run has one of its own; it ends as soon as a law is broken.
 */
const bends: ReadonlyArray<readonly [law: string, bend: Bend, plan: FuzzPlan]> = [
  [
    "every request is answered",
    answering((answer, { method }) => (method === "POST" ? null : answer)),
    { requests: 200, seed: 1 }
  ],
  ["no failure of ours", failing, { requests: 300, seed: 2 }],
  [
    "every answer is within the document",
    answering((answer) =>
      answer.body?.data?.moneda === undefined ? answer : withBody(answer, { ...answer.body, x: 1 })
    ),
    { requests: 300, seed: 3 }
  ],
  [
    "every answer has the headers of all",
    answering((answer) => withoutHeader(answer, "x-frame-options")),
    { requests: 100, seed: 4 }
  ],
  [
    "every answer has the envelope",
    answering((answer) => {
      if (answer.status !== 404) return answer
      return withBody(answer, { ...answer.body, error: { ...answer.body?.error, message: "" } })
    }),
    { requests: 300, seed: 5 }
  ],
  [
    "every call of tRPC has its answer",
    answering((answer) => (Array.isArray(answer.body) ? withBody(answer, answer.body.slice(1)) : answer)),
    { requests: 2_000, seed: 6 }
  ],
  ["nobody does what they may not", lending(), { requests: 1_600, seed: 7 }],
  ["a refusal changes nothing", meddling, { requests: 800, seed: 8 }],
  ["a key has one answer", renumberingAgain(), { requests: 2_400, seed: 9 }],
  ["a sale stands as it was told", renumbering((id) => id + 1_000_000), { requests: 200, seed: 10 }]
]

layer(world, { excludeTestServices: true })("requests that the document leads to", (it) => {
  it.effect.each(bends)("find out who breaks a law: %s", ([law, bend, plan]) =>
    Effect.gen(function* () {
      assert.include(lawsOf(yield* fuzzedOver(bend, plan)), law)
    })
  )

  it.effect("are shrunk to those that it takes", () =>
    Effect.gen(function* () {
      const { counterexample } = yield* fuzzedOver(failing, { requests: 300, seed: 11 })
      assert.strictEqual(counterexample?.told.length, 1)
      assert.strictEqual(counterexample?.told[0]?.answer?.status, 500)
    })
  )
})
