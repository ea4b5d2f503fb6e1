import { type AnyProcedure, callTRPCProcedure } from "@trpc/server"
import { Effect, Predicate, Result } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { logDefect, respond, respondFailure, respondFile, successBody } from "../http/Answer.ts"
import { readBody } from "../http/Body.ts"
import { etagOf, isKnown } from "../http/Etag.ts"
import { incoming } from "../http/Incoming.ts"
import { queryOf, targetOf } from "../http/Query.ts"
import type { Call } from "../trpc/Call.ts"
import type { Meta } from "../trpc/Procedure.ts"
import { defectOf, publicErrorOf } from "../trpc/PublicError.ts"
import { appRouter, procedures } from "../trpc/Router.ts"
import { type Input, keyField } from "../wire/Input.ts"
import type { Output } from "../wire/Output.ts"
import { keyOf } from "./KeyHeader.ts"

/** An endpoint of REST: a procedure and its meta. */
export interface Endpoint {
  /** The procedure's path in the router. */
  readonly name: string
  readonly type: "query" | "mutation"
  readonly meta: Meta & { readonly openapi: NonNullable<Meta["openapi"]> }
  readonly input: Input<unknown, unknown>
  readonly output: Output<unknown>
  /** Does it take an Idempotency-Key? */
  readonly takesKey: boolean
  /** Its own path and its aliases. */
  readonly paths: ReadonlyArray<`/${string}`>
}

const endpointOf = ([name, procedure]: readonly [string, AnyProcedure]): ReadonlyArray<Endpoint> => {
  const { inputs, meta, output, type } = procedure._def as unknown as {
    readonly inputs: ReadonlyArray<Input<unknown, unknown>>
    readonly output: Output<unknown> | undefined
    readonly meta: Meta | undefined
    readonly type: Endpoint["type"]
  }
  const [input] = inputs
  if (meta?.openapi === undefined || input === undefined || output === undefined) return []
  return [
    {
      name,
      type,
      meta: { ...meta, openapi: meta.openapi },
      input,
      output,
      takesKey: input.takesKey,
      paths: [meta.openapi.path, ...(meta.alias ?? [])]
    }
  ]
}

/** Every endpoint that the procedures make. */
export const endpoints: ReadonlyArray<Endpoint> = Object.entries(procedures).flatMap(endpointOf)

const inputReader = Effect.fnUntraced(function* (
  { takesKey, type }: Endpoint,
  request: HttpServerRequest.HttpServerRequest
) {
  const { params } = yield* HttpRouter.RouteContext
  if (type === "query") {
    const query = queryOf(targetOf(request))
    return () => Effect.succeed({ ...query, ...params })
  }
  return () =>
    Effect.map(readBody(request), (body) =>
      isPlain(body) ? { ...body, ...params, ...(takesKey && { [keyField]: keyOf(request) }) } : body
    )
})

const isPlain = (body: unknown): body is object | undefined => body === undefined || Predicate.isObject(body)

// Any failure is a value here, to be shown.
const callProcedure = ({ name, type }: Endpoint, call: Call) =>
  Effect.promise((signal) =>
    callTRPCProcedure({
      router: appRouter,
      path: name,
      type,
      ctx: call,
      getRawInput: async () => undefined,
      signal,
      batchIndex: 0
    }).then(
      (answer: unknown) => Result.succeed(answer),
      (error: unknown) => Result.fail(error)
    )
  )

/** Answers an endpoint's calls. */
export const serve = (endpoint: Endpoint) => {
  const { cached = false, message = "", status = 200 } = endpoint.meta
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const call = yield* incoming(request, yield* inputReader(endpoint, request))
    const result = yield* callProcedure(endpoint, call)
    if (Result.isFailure(result)) {
      const defect = defectOf(result.failure)
      if (defect !== undefined) yield* logDefect(call, defect)
      return yield* respondFailure(call, publicErrorOf(result.failure))
    }
    const { file } = call.reply
    if (file !== undefined) return yield* respondFile(call, file)
    const data = JSON.stringify(result.success)
    const body = successBody(data, call.reply.message ?? message, call.requestId)
    if (!cached) return yield* respond(call, status, body)
    const etag = yield* etagOf(data)
    const headers = { etag, "cache-control": "private, no-cache", vary: "Authorization, X-Api-Key" }
    return isKnown(request.headers["if-none-match"], etag)
      ? yield* respond(call, 304, undefined, headers)
      : yield* respond(call, status, body, headers)
  })
}
