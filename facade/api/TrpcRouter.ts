import { initTRPC, TRPCError, type TRPCMutationProcedure, type TRPCQueryProcedure } from "@trpc/server"
import { TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc"
import { Cause, type Context, Effect, Exit, Option, Predicate, Record as Records } from "effect"
import { failureOf, internalError, isCoreError, type PublicError, toPublic } from "../../core/domain/ErrorCatalogue.ts"
import type { ErrorStatus } from "../../core/domain/ErrorCodes.ts"
import { type CoreError, NotFound, NotJson, WrongMethod } from "../../core/domain/Errors.ts"
import type { Session } from "../../core/domain/Session.ts"
import type { Call, Services } from "./Call.ts"
import { keyField } from "./Input.ts"
import { malformedBody } from "./Json.ts"
import { type Procedure, prepare, type RawInput } from "./Procedure.ts"
import { type Method, methods, procedures } from "./Procedures.ts"

/**
 * tRPC's names for the HTTP statuses. Only tRPC clients read these names. tRPC has no name for 202. In this API, 202
 * means that the outcome is unknown, so its name is TIMEOUT.
 */
const trpcCodes = {
  202: "TIMEOUT",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  409: "CONFLICT",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  422: "UNPROCESSABLE_CONTENT",
  429: "TOO_MANY_REQUESTS",
  500: "INTERNAL_SERVER_ERROR",
  501: "NOT_IMPLEMENTED",
  503: "SERVICE_UNAVAILABLE"
} as const satisfies Record<ErrorStatus, TRPCError["code"]>

/** Wraps an error of the catalogue for tRPC. */
export const trpcError = (error: CoreError): TRPCError => {
  const { message, status } = toPublic(error)
  return new TRPCError({ code: trpcCodes[status], message, cause: error })
}

const errorOfTrpc = ({ code }: TRPCError): CoreError | undefined => {
  switch (code) {
    case "NOT_FOUND":
    case "METHOD_NOT_SUPPORTED":
      return new NotFound()
    case "UNSUPPORTED_MEDIA_TYPE":
      return new NotJson()
    case "BAD_REQUEST":
    case "PARSE_ERROR":
      return malformedBody
    default:
      return undefined
  }
}

// The error catalogue calls the idempotency key by its REST header. tRPC clients send the key as a field, so the name
// is replaced here.
const withKeyField = (error: CoreError): PublicError => {
  const shown = toPublic(error)
  return error._tag === "KeyReused" ? { ...shown, details: { [keyField]: "clave_reutilizada" } } : shown
}

/** The error that a tRPC client receives when a procedure throws this value. */
export const publicErrorOf = (error: unknown): PublicError => {
  const cause = error instanceof TRPCError ? (isCoreError(error.cause) ? error.cause : errorOfTrpc(error)) : error
  return isCoreError(cause) ? withKeyField(cause) : internalError
}

const isHangUp = (error: unknown): boolean =>
  Predicate.hasProperty(error, "code") && error.code === "CLIENT_CLOSED_REQUEST"

/** The defect that made a procedure throw, for the log. Undefined if the caller caused the error. */
export const defectOf = (error: unknown): unknown => {
  if (publicErrorOf(error) !== internalError || isHangUp(error)) return undefined
  return error instanceof TRPCError ? (error.cause ?? error) : error
}

/** The error in the form that tRPC clients read. */
export const errorShapeOf = (error: unknown, requestId: string | undefined, path: string | undefined) => {
  const { code, details, message, status } = publicErrorOf(error)
  const trpcCode: TRPCError["code"] = trpcCodes[status]
  return {
    code: TRPC_ERROR_CODES_BY_KEY[trpcCode],
    message,
    data: { code: trpcCode, httpStatus: status, path, error: { code, message, details }, request_id: requestId }
  }
}

/** The facts about a request that tRPC passes to each of its procedures. */
export interface TrpcContext {
  readonly call: Call
  /** Reads the input of one procedure of the batch. */
  readonly input: (batchIndex: number) => RawInput
  readonly services: Context.Context<Services>
}

const t = initTRPC.context<TrpcContext>().create({
  isDev: false,
  errorFormatter: ({ ctx, error, path }) => errorShapeOf(error, ctx?.call.requestId, path)
})

/** Runs an effect as a promise. If the effect fails, throws a TRPCError that contains the cause. */
const run = async <A>(
  services: Context.Context<Services>,
  effect: Effect.Effect<A, CoreError, Services>,
  signal: AbortSignal | undefined
): Promise<A> => {
  const exit = await Effect.runPromiseExitWith(services)(effect, { signal })
  if (Exit.isSuccess(exit)) return exit.value
  const failure = failureOf(exit.cause)
  if (Option.isSome(failure)) throw trpcError(failure.value)
  throw new TRPCError(
    Cause.hasInterruptsOnly(exit.cause)
      ? { code: "CLIENT_CLOSED_REQUEST" }
      : { code: "INTERNAL_SERVER_ERROR", cause: Cause.squash(exit.cause) }
  )
}

// The procedures do not use tRPC's own input parser. It would lose digits of amounts and would read the body before the
// gate is passed.
const routed = (procedure: Procedure) => {
  const resolve = (options: { ctx: TrpcContext; batchIndex?: number; signal: AbortSignal | undefined }) => {
    const { batchIndex = 0, ctx, signal } = options
    const prepared = prepare(procedure, ctx.call, ctx.input(batchIndex))
    return run(
      ctx.services,
      Effect.flatMap(prepared, (given) => procedure.handle(given)),
      signal
    )
  }
  return procedure.type === "query" ? t.procedure.query(resolve) : t.procedure.mutation(resolve)
}

/** The type of a procedure in the router, which the typed client reads. */
type Routed<P> =
  P extends Procedure<infer Type, infer _S extends Session | null, infer _A, infer I, infer O>
    ? Type extends "query"
      ? TRPCQueryProcedure<{ input: I; output: O; meta: unknown }>
      : TRPCMutationProcedure<{ input: I; output: O; meta: unknown }>
    : never

type RoutedTree<Tree> = {
  [Resource in keyof Tree]: { [Action in keyof Tree[Resource]]: Routed<Tree[Resource][Action]> }
}

// tRPC refuses a whole request that calls both queries and mutations, without naming the wrong call. So the router of a
// method has only procedures of the matching type. Procedures of the other type are replaced by procedures that fail
// with WrongMethod.
const routedBy = (method: Method, procedure: Procedure, name: string) => {
  const wanted = methods[procedure.type]
  if (wanted === method) return routed(procedure)
  const refuse = () => {
    throw trpcError(new WrongMethod({ procedure: name, method: wanted }))
  }
  return method === "GET" ? t.procedure.query(refuse) : t.procedure.mutation(refuse)
}

const routerOf = (method: Method) => {
  const tree = Records.map(
    procedures as Readonly<Record<string, Readonly<Record<string, Procedure>>>>,
    (resource, resourceName) =>
      Records.map(resource, (procedure, action) => routedBy(method, procedure, `${resourceName}.${action}`))
  )
  return t.router(tree as unknown as RoutedTree<typeof procedures>)
}

/** The two tRPC routers, one for each HTTP method. Each contains every procedure with the types of its input and output. */
export const routers = { GET: routerOf("GET"), POST: routerOf("POST") }
export type AppRouter = (typeof routers)[Method]
