import type { TRPCError } from "@trpc/server"
import { fetchRequestHandler } from "@trpc/server/adapters/fetch"
import { type Context, Effect, Predicate, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import type { Call, Services } from "../api/Call.ts"
import { failureHeaders } from "../api/Envelope.ts"
import { countByAddress, ensureQuota } from "../api/Gate.ts"
import { malformedBody } from "../api/Json.ts"
import { endpoints, type Method, methods as methodsOfTypes } from "../api/Procedures.ts"
import { defectOf, errorShapeOf, publicErrorOf, routers, type TrpcContext, trpcError } from "../api/TrpcRouter.ts"
import { currentCall, queryOf, readBody, targetOf } from "./Request.ts"
import { logFailed, respond } from "./Response.ts"
import { queryInput, webRequest } from "./TrpcRequest.ts"

type Request = HttpServerRequest.HttpServerRequest

const root = "/trpc"

/** The HTTP method of each procedure, by name. */
const methods = new Map<string, string>(endpoints.map(({ name, procedure }) => [name, methodsOfTypes[procedure.type]]))

/** The method of a request. HEAD calls queries, as GET does. */
const methodOf = ({ method }: Request): Method => (method === "POST" ? "POST" : "GET")

const isBatch = ({ searchParams }: URL): boolean => searchParams.get("batch") === "1"

/**
 * Makes a reader for the inputs of a request. The reader is as strict as REST. It reads only after the gate of the
 * procedure has admitted the caller. tRPC's own reader would lose digits of amounts. The calls of a batch share one
 * body, which is read once.
 */
const inputReader = Effect.fnUntraced(function* (request: Request, url: URL) {
  const all = yield* Effect.cached(methodOf(request) === "POST" ? readBody(request) : queryInput(queryOf(url)["input"]))
  const whole: TrpcContext["input"] = () => all
  const oneOfBatch: TrpcContext["input"] = (batchIndex) =>
    Effect.flatMap(all, (inputs) => {
      if (inputs === undefined) return Effect.undefined
      return Predicate.isObject(inputs) ? Effect.succeed(inputs[batchIndex]) : Effect.fail(malformedBody)
    })
  return isBatch(url) ? oneOfBatch : whole
})

/**
 * The route of a tRPC request in logs and metrics. The name of an unknown procedure may contain any data, so it is
 * hidden.
 */
export const trpcRoute = (request: Request): string => {
  const url = targetOf(request)
  if (isBatch(url)) return `${root}/{batch}`
  const name = url.pathname.slice(root.length + 1)
  return `${root}/${methods.has(name) ? name : "{unknown}"}`
}

/** The names of the procedures that a request calls. */
const callsOf = (url: URL): ReadonlyArray<string> => {
  const path = decodeURIComponent(url.pathname.slice(root.length)).replace(/^\/|\/$/g, "")
  return isBatch(url) ? path.split(",") : [path]
}

/** The names in a request that match no procedure of the request's method. */
const unknownCalls = (request: Request, url: URL): ReadonlyArray<string> =>
  callsOf(url).filter((name) => methods.get(name) !== methodOf(request))

/**
 * The headers of the response if all calls of a request failed with the same error code. With several calls, the
 * response has no Location header.
 */
const sharedFailureHeaders = (errors: ReadonlyArray<TRPCError>, calls: number): Readonly<Record<string, string>> => {
  const [first, ...others] = errors.map(publicErrorOf)
  if (first === undefined || errors.length < calls || others.some(({ code }) => code !== first.code)) return {}
  const { location, ...shared } = failureHeaders(first)
  return calls === 1 ? failureHeaders(first) : shared
}

const varying = { vary: "trpc-accept, accept" }

/** Refuses a whole request with one error object. tRPC clients accept one error object for a batch too. */
const refuseAll = (call: Call, error: TRPCError) => {
  const shown = publicErrorOf(error)
  call.log.codes = [shown.code]
  const body = JSON.stringify({ error: errorShapeOf(error, call.requestId, undefined) })
  return respond(call, shown.status, body, { ...varying, ...failureHeaders(shown) })
}

/** Lets tRPC's own handler run the procedures. */
const runProcedures = (request: Request, url: URL, context: TrpcContext) =>
  Effect.promise(async (signal) => {
    const errors: Array<TRPCError> = []
    let entered = false
    const response = await fetchRequestHandler({
      endpoint: root,
      req: webRequest(request, methodOf(request), url, signal),
      router: routers[methodOf(request)],
      createContext: () => {
        entered = true
        return context
      },
      onError: ({ error }) => errors.push(error)
    })
    return { status: response.status, body: await response.text(), errors, entered }
  })

/** Serves the procedures to tRPC clients. */
export const serveTrpc = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const services: Context.Context<Services> = yield* Effect.context<Services>()
  const url = targetOf(request)
  const call = yield* currentCall
  const input = yield* inputReader(request, url)
  // A known procedure counts its own call. Unknown names are counted before any procedure runs. If a count failed
  // later, the result of a procedure that already ran would be lost.
  const counted = yield* Effect.result(Effect.forEach(unknownCalls(request, url), () => countByAddress(call)))
  if (Result.isFailure(counted)) return refuseAll(call, trpcError(counted.failure))
  const { body, entered, errors, status } = yield* runProcedures(request, url, { call, input, services })
  for (const defect of errors.map(defectOf)) if (defect !== undefined) yield* logFailed(call, defect)
  const [error] = errors
  if (!entered && error !== undefined) {
    const late = yield* Effect.result(countByAddress(call))
    return refuseAll(call, Result.isFailure(late) ? trpcError(late.failure) : error)
  }
  const calls = callsOf(url).length
  // With several calls, Idempotent-Replay would not state which call is a replay, so the header is removed.
  if (calls > 1) delete call.reply.headers["idempotent-replay"]
  call.log.codes = errors.map((each) => publicErrorOf(each).code)
  yield* ensureQuota(call)
  return respond(call, status, body, { ...varying, ...sharedFailureHeaders(errors, calls) })
})
