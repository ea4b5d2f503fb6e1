import type { AnyProcedure } from "@trpc/server"
import { Cause, Context, Effect, Option, Predicate, Result } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { CoreError } from "../../core/domain/Errors.ts"
import type { Access } from "../call/Access.ts"
import { refuse, respond, respondDefect, respondFile, successBody } from "../call/Answer.ts"
import { readBody } from "../call/Body.ts"
import { type Call, FileReply, type Services } from "../call/Call.ts"
import { etagOf, isKnown } from "../call/Etag.ts"
import { headerOf } from "../call/HeaderValues.ts"
import { callOf } from "../call/Incoming.ts"
import { queryOf, targetOf } from "../call/Query.ts"
import type { Handle, HandleFile, Meta } from "../trpc/Procedure.ts"
import { procedures } from "../trpc/Router.ts"
import { type Input, keyField } from "../wire/Input.ts"
import type { Output } from "../wire/Output.ts"
import { byHeader, keyOf } from "./KeyHeader.ts"

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
  readonly handle: Handle<Call, unknown, unknown>
  readonly file: HandleFile<Call, unknown> | undefined
  /** Its own path and its aliases. */
  readonly paths: ReadonlyArray<`/${string}`>
}

const endpointOf = ([name, procedure]: readonly [string, AnyProcedure]): ReadonlyArray<Endpoint> => {
  const { inputs, meta, output, resolver, type } = procedure._def as unknown as {
    readonly inputs: ReadonlyArray<Input<unknown, unknown>>
    readonly output: Output<unknown> | undefined
    readonly meta: Partial<Meta> | undefined
    readonly resolver: Pick<Endpoint, "file" | "handle">
    readonly type: Endpoint["type"]
  }
  const [input] = inputs
  if (meta?.gate === undefined) throw new Error(`${name} has no gate: nobody said who may call it`)
  if (meta.openapi === undefined || input === undefined || output === undefined) return []
  return [
    {
      name,
      type,
      meta: { ...meta, gate: meta.gate, openapi: meta.openapi },
      input,
      output,
      takesKey: input.takesKey,
      handle: resolver.handle,
      file: resolver.file,
      paths: [meta.openapi.path, ...(meta.alias ?? [])]
    }
  ]
}

/** The endpoints that procedures make. One that lacks a gate keeps the service from starting. */
export const endpointsOf = (all: Readonly<Record<string, AnyProcedure>>): ReadonlyArray<Endpoint> =>
  Object.entries(all).flatMap(endpointOf)

/** Every endpoint of the service. */
export const endpoints = endpointsOf(procedures)

const inputReader = (
  { takesKey, type }: Endpoint,
  request: HttpServerRequest.HttpServerRequest,
  { params }: HttpRouter.RouteContext["Service"]
): Call["input"] => {
  if (type === "query") {
    const given = request.url.includes("?") ? { ...queryOf(targetOf(request)), ...params } : params
    return () => Effect.succeed(given)
  }
  return () =>
    Effect.map(readBody(request), (body) =>
      isPlain(body) ? { ...body, ...params, ...(takesKey && { [keyField]: keyOf(request) }) } : body
    )
}

const isPlain = (body: unknown): body is object | undefined => body === undefined || Predicate.isObject(body)

const sole = 0

/** Lets the caller in, reads the input and answers: what tRPC does with a procedure, without its promises. */
const perform = ({ file, handle, input, meta, takesKey, type }: Endpoint, call: Call) =>
  Effect.flatMap(meta.gate.enter(call, { batchIndex: sole, type }), ({ ctx, raw }) => {
    const read = input.read(raw)
    if (Result.isFailure(read)) return Effect.fail(takesKey ? byHeader(read.failure) : read.failure)
    const given = { ctx, input: read.success }
    return file?.(given) ?? handle(given)
  })

const refused = (call: Call) => (cause: Cause.Cause<CoreError>) => {
  const error = Cause.findErrorOption(cause)
  if (Option.isSome(error)) return refuse(call, error.value)
  return Cause.hasInterruptsOnly(cause) ? Effect.interrupt : respondDefect(call, cause)
}

/** Answers an endpoint's calls. */
export const serve = (endpoint: Endpoint) => {
  const { cached = false, message = "", status = 200 } = endpoint.meta
  const shown = (call: Call, request: HttpServerRequest.HttpServerRequest, answer: unknown) => {
    if (answer instanceof FileReply) return respondFile(call, answer)
    const data = JSON.stringify(answer)
    const body = successBody(data, call.reply.message ?? message, call.requestId)
    if (!cached) return respond(call, status, body)
    return Effect.flatMap(etagOf(data), (etag) => {
      const headers = { etag, "cache-control": "private, no-cache", vary: "Authorization, X-Api-Key" }
      return isKnown(headerOf(request, "if-none-match"), etag)
        ? respond(call, 304, undefined, headers)
        : respond(call, status, body, headers)
    })
  }
  return Effect.contextWith(
    (services: Context.Context<HttpServerRequest.HttpServerRequest | HttpRouter.RouteContext | Services | Access>) => {
      const request = Context.get(services, HttpServerRequest.HttpServerRequest)
      const input = inputReader(endpoint, request, Context.get(services, HttpRouter.RouteContext))
      const call = callOf(services, request, input)
      return Effect.matchCauseEffect(perform(endpoint, call), {
        onFailure: refused(call),
        onSuccess: (answer) => shown(call, request, answer)
      })
    }
  )
}
