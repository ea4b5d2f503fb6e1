import { getTRPCErrorShape, type TRPCError } from "@trpc/server"
import { fetchRequestHandler } from "@trpc/server/adapters/fetch"
import { Effect, Predicate, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import { spendByAddress } from "../call/Allowance.ts"
import { failureHeaders, logFailed, respond } from "../call/Answer.ts"
import { readBody } from "../call/Body.ts"
import type { Call } from "../call/Call.ts"
import { incoming } from "../call/Incoming.ts"
import { queryOf, targetOf } from "../call/Query.ts"
import { defectOf, publicErrorOf, trpcError } from "../trpc/PublicError.ts"
import { appRouter, procedures } from "../trpc/Router.ts"
import { malformedBody, readJson } from "../wire/Json.ts"

const endpoint = "/trpc"
const encoder = new TextEncoder()

const queryInput = (text: string | ReadonlyArray<string> | undefined) => {
  if (text === undefined) return Effect.undefined
  return typeof text === "string" ? Effect.fromResult(readJson(encoder.encode(text))) : Effect.fail(malformedBody)
}

/**
 * Reads inputs as REST reads them, strictly and only once a call has been let in; tRPC's own reader would lose the
 * digits of amounts. The calls of a batch share one body.
 */
const inputReader = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, url: URL) {
  const inputs = yield* Effect.cached(request.method === "POST" ? readBody(request) : queryInput(queryOf(url)["input"]))
  const one: Call["input"] = () => inputs
  const oneOfMany: Call["input"] = (batchIndex) =>
    Effect.flatMap(inputs, (given) => {
      if (given === undefined) return Effect.undefined
      return Predicate.isObject(given) ? Effect.succeed(given[batchIndex]) : Effect.fail(malformedBody)
    })
  return isBatch(url) ? oneOfMany : one
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

/** What a request calls, in words of ours: what it says itself may be anything. */
export const trpcRoute = (request: HttpServerRequest.HttpServerRequest): string => {
  const url = targetOf(request)
  if (isBatch(url)) return `${endpoint}/{batch}`
  const name = url.pathname.slice(endpoint.length + 1)
  return `${endpoint}/${Object.hasOwn(procedures, name) ? name : "{unknown}"}`
}

/** What a request calls. */
const callsOf = (url: URL): ReadonlyArray<string> => {
  const path = decodeURIComponent(url.pathname.slice(endpoint.length)).replace(/^\/|\/$/g, "")
  return isBatch(url) ? path.split(",") : [path]
}

/** What a request calls that no procedure of its method answers. */
const strayCalls = ({ method }: HttpServerRequest.HttpServerRequest, url: URL): ReadonlyArray<string> => {
  const type = method === "POST" ? "mutation" : "query"
  const isServed = (name: string) => Object.hasOwn(procedures, name) && procedures[name]?._def.type === type
  return callsOf(url).filter((name) => !isServed(name))
}

/** The headers of a failure that all calls of a request share. Where each of several leads is its own business. */
const failureOf = (errors: ReadonlyArray<TRPCError>, calls: number): Readonly<Record<string, string>> => {
  const [first, ...others] = errors.map(publicErrorOf)
  if (first === undefined || errors.length < calls || others.some(({ code }) => code !== first.code)) return {}
  const { location, ...shared } = failureHeaders(first)
  return calls === 1 ? failureHeaders(first) : shared
}

const varying = { vary: "trpc-accept, accept" }

/** Refuses a request as a whole, in the shape that tRPC's clients read, batches too. */
const refuseAll = (call: Call, error: TRPCError) => {
  call.access.codes = [publicErrorOf(error).code]
  const { _config: config } = appRouter._def
  const shape = getTRPCErrorShape({ config, ctx: call, error, input: undefined, path: undefined, type: "unknown" })
  const headers = { ...varying, ...failureHeaders(publicErrorOf(error)) }
  return respond(call, shape.data.httpStatus, JSON.stringify({ error: shape }), headers)
}

const handle = (request: HttpServerRequest.HttpServerRequest, url: URL, call: Call) =>
  Effect.promise(async (signal) => {
    const errors: Array<TRPCError> = []
    let entered = false
    const response = await fetchRequestHandler({
      endpoint,
      req: webRequest(request, url, signal),
      router: appRouter,
      createContext: () => {
        entered = true
        return call
      },
      onError: ({ error }) => errors.push(error)
    })
    return { status: response.status, body: await response.text(), errors, entered }
  })

/** Answers tRPC's clients with the same procedures. */
export const serveTrpc = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const url = targetOf(request)
  const call = yield* incoming(request, yield* inputReader(request, url))
  // Procedures count their own calls. The others are counted before any of them runs: what has run must be told.
  const counted = yield* Effect.result(Effect.forEach(strayCalls(request, url), () => spendByAddress(call)))
  if (Result.isFailure(counted)) return yield* refuseAll(call, trpcError(counted.failure))
  const { body, entered, errors, status } = yield* handle(request, url, call)
  for (const defect of errors.map(defectOf)) if (defect !== undefined) yield* logFailed(call, defect)
  const [error] = errors
  if (!entered && error !== undefined) {
    const late = yield* Effect.result(spendByAddress(call))
    return yield* refuseAll(call, Result.isFailure(late) ? trpcError(late.failure) : error)
  }
  const calls = callsOf(url).length
  // Of several calls nobody could tell which one it speaks of.
  if (calls > 1) delete call.reply.headers["idempotent-replay"]
  call.access.codes = errors.map((each) => publicErrorOf(each).code)
  return yield* respond(call, status, body, { ...varying, ...failureOf(errors, calls) })
})
