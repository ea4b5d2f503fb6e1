import { Cause, Context, Effect, Option, Predicate } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { failureOf } from "../../core/domain/ErrorCatalogue.ts"
import type { CoreError } from "../../core/domain/Errors.ts"
import type { Call, RequestLog } from "../api/Call.ts"
import { successBody } from "../api/Envelope.ts"
import { keyField, namedByHeader } from "../api/Input.ts"
import { type Procedure, prepare, type RawInput } from "../api/Procedure.ts"
import { callOf, headerOf, keyOf, queryOf, readBody, targetOf } from "./Request.ts"
import { etagOf, isKnown, refuse, respond, respondDefect, respondFile } from "./Response.ts"

const isFields = (body: unknown): body is object | undefined => body === undefined || Predicate.isObject(body)

/**
 * The input of a procedure before decoding. For a GET, it consists of the path and the query. For a POST, it consists
 * of the path, the body and the Idempotency-Key.
 */
const rawInput = (
  { input: { takesKey }, type }: Procedure,
  request: HttpServerRequest.HttpServerRequest,
  { params }: HttpRouter.RouteContext["Service"]
): RawInput =>
  type === "query"
    ? Effect.sync(() => (request.url.includes("?") ? { ...queryOf(targetOf(request)), ...params } : params))
    : Effect.map(readBody(request), (body) =>
        isFields(body) ? { ...body, ...params, ...(takesKey && { [keyField]: keyOf(request) }) } : body
      )

/** Serves a procedure as a REST endpoint. */
export const serveRest = (procedure: Procedure) => {
  const { cached = false, message = "", status = 200 } = procedure.meta

  const succeed = (call: Call, request: HttpServerRequest.HttpServerRequest, output: unknown) => {
    const data = JSON.stringify(output)
    const body = successBody(data, call.reply.message ?? message, call.requestId)
    if (!cached) return Effect.succeed(respond(call, status, body))
    return Effect.map(etagOf(data), (etag) => {
      const headers = { etag, "cache-control": "private, no-cache", vary: "Authorization, X-Api-Key" }
      return isKnown(headerOf(request, "if-none-match"), etag)
        ? respond(call, 304, undefined, headers)
        : respond(call, status, body, headers)
    })
  }

  const fail = (call: Call, cause: Cause.Cause<CoreError>) => {
    const error = failureOf(cause)
    if (Option.isSome(error)) {
      return Effect.succeed(refuse(call, procedure.input.takesKey ? namedByHeader(error.value) : error.value))
    }
    return Cause.hasInterruptsOnly(cause) ? Effect.interrupt : respondDefect(call, cause)
  }

  return Effect.contextWith(
    (services: Context.Context<HttpServerRequest.HttpServerRequest | HttpRouter.RouteContext | RequestLog>) => {
      const request = Context.get(services, HttpServerRequest.HttpServerRequest)
      const call = callOf(services)
      const raw = rawInput(procedure, request, Context.get(services, HttpRouter.RouteContext))
      const performed = Effect.flatMap(prepare(procedure, call, raw), (given) => {
        const file = procedure.file?.(given)
        if (file === undefined) return procedure.handle(given)
        return Effect.flatMap(file, (reply) => respondFile(call, reply, request.method === "HEAD"))
      })
      return Effect.matchCauseEffect(performed, {
        onFailure: (cause) => fail(call, cause),
        onSuccess: (output) =>
          HttpServerResponse.isHttpServerResponse(output) ? Effect.succeed(output) : succeed(call, request, output)
      })
    }
  )
}
