import { fetchRequestHandler } from "@trpc/server/adapters/fetch"
import { Effect, Predicate, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import { Invalid } from "../../core/domain/Errors.ts"
import type { Call } from "../trpc/Call.ts"
import { spendByAddress } from "../trpc/Gate.ts"
import { defectOf } from "../trpc/PublicError.ts"
import { appRouter } from "../trpc/Router.ts"
import { readJson } from "../wire/Json.ts"
import { logDefect, refuse, respond } from "./Answer.ts"
import { readBody } from "./Body.ts"
import { incoming } from "./Incoming.ts"

const endpoint = "/trpc"
const encoder = new TextEncoder()

const malformed = new Invalid({ details: { body: "json_invalido" } })

const queryInput = (text: string | null) =>
  text === null ? Effect.undefined : Effect.mapError(Effect.fromResult(readJson(encoder.encode(text))), () => malformed)

/**
 * Reads inputs as REST reads them, strictly and only once a call has been let in; tRPC's own reader would lose the
 * digits of amounts. The calls of a batch share one body.
 */
const inputReader = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, url: URL) {
  const inputs = yield* Effect.cached(
    request.method === "POST" ? readBody(request) : queryInput(url.searchParams.get("input"))
  )
  const read: Call["input"] = (batchIndex) =>
    Effect.flatMap(inputs, (given) => {
      if (!isBatch(url) || given === undefined) return Effect.succeed(given)
      return Predicate.isObject(given) ? Effect.succeed(given[batchIndex]) : Effect.fail(malformed)
    })
  return read
})

const isBatch = ({ searchParams }: URL): boolean => searchParams.get("batch") === "1"

const webRequest = (request: HttpServerRequest.HttpServerRequest, url: URL, signal: AbortSignal): Request => {
  const { accept, "trpc-accept": trpcAccept } = request.headers
  return new Request(url, {
    method: request.method === "POST" ? "POST" : "GET",
    headers: {
      // The body, whatever its type, is read and judged by ours.
      "content-type": "application/json",
      ...(accept !== undefined && { accept }),
      ...(trpcAccept !== undefined && { "trpc-accept": trpcAccept })
    },
    signal
  })
}

/** Answers tRPC's clients with the same procedures. */
export const serveTrpc = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const url = new URL(request.url, "http://localhost")
  const call = yield* incoming(request, yield* inputReader(request, url))
  const defects: Array<unknown> = []
  const { body, status } = yield* Effect.promise(async (signal) => {
    const response = await fetchRequestHandler({
      endpoint,
      req: webRequest(request, url, signal),
      router: appRouter,
      createContext: () => call,
      onError: ({ error }) => defects.push(defectOf(error))
    })
    return { status: response.status, body: await response.text() }
  })
  for (const defect of defects) if (defect !== undefined) yield* logDefect(call, defect)
  if (call.reply.quota === undefined) {
    // No procedure counted it: none has that name.
    const counted = yield* Effect.result(spendByAddress(call))
    if (Result.isFailure(counted)) return yield* refuse(call, counted.failure)
  }
  // Of a batch nobody could tell which call a header speaks of.
  if (isBatch(url)) delete call.reply.headers["idempotent-replay"]
  return yield* respond(call, status, body, { vary: "trpc-accept, accept" })
})
