import { initTRPC, TRPCError } from "@trpc/server"
import { Cause, Effect, Exit, Option } from "effect"
import type { OpenApiMeta } from "trpc-to-openapi"
import type { ErrorCode } from "../../core/domain/ErrorCatalogue.ts"
import type { CoreError } from "../../core/domain/Errors.ts"
import type { Permission } from "../../core/domain/Token.ts"
import type { Call, Services } from "./Call.ts"
import { enter, enterPublic } from "./Gate.ts"
import { publicErrorOf, trpcError } from "./PublicError.ts"

/** What REST and the OpenAPI document need to know of a procedure, beside its input and output. */
export type Meta = OpenApiMeta<{
  /** Other paths of the same endpoint. */
  readonly alias?: ReadonlyArray<`/${string}`>
  readonly permission?: Permission
  /** 200 unless said otherwise. */
  readonly status?: number
  /** What a person reads when all went well. */
  readonly message?: string
  /** Changes rarely: answers carry an ETag. */
  readonly cached?: boolean
  /** The type of the file that REST can answer instead of JSON. */
  readonly file?: "application/pdf" | "text/csv"
  /** REST answers the file and never JSON. */
  readonly onlyFile?: boolean
  /** What the endpoint may answer beside what every endpoint of its kind may. */
  readonly errors?: ReadonlyArray<ErrorCode>
  readonly example?: { readonly request?: unknown; readonly data: unknown }
}>

const t = initTRPC
  .context<Call>()
  .meta<Meta>()
  .create({
    isDev: false,
    errorFormatter: ({ ctx, error, path, shape }) => {
      const { code, details, message, status } = publicErrorOf(error)
      return {
        code: shape.code,
        message,
        data: {
          code: shape.data.code,
          httpStatus: status,
          path,
          error: { code, message, details },
          request_id: ctx?.requestId
        }
      }
    }
  })

export const router = t.router

/** Runs an effect for tRPC. A failure becomes a TRPCError that carries it; what is ours keeps its cause for the log. */
const run = async <A>(
  { services }: Call,
  effect: Effect.Effect<A, CoreError, Services>,
  signal: AbortSignal | undefined
): Promise<A> => {
  const exit = await Effect.runPromiseExitWith(services)(effect, { signal })
  if (Exit.isSuccess(exit)) return exit.value
  const failure = Cause.findErrorOption(exit.cause)
  if (Option.isSome(failure)) throw trpcError(failure.value)
  throw new TRPCError(
    Cause.hasInterruptsOnly(exit.cause)
      ? { code: "CLIENT_CLOSED_REQUEST" }
      : { code: "INTERNAL_SERVER_ERROR", cause: Cause.squash(exit.cause) }
  )
}

// What a procedure goes on with. tRPC takes a context and an input in one step, though its types offer either.
const entered = <C extends object>(ctx: C, raw: unknown): { readonly ctx: C } => {
  const both = { ctx, getRawInput: async () => raw }
  return both
}

/** A procedure that anybody may call. */
export const open = t.procedure.use(async ({ batchIndex, ctx, next, signal }) =>
  next(entered({}, await run(ctx, enterPublic(ctx, batchIndex), signal)))
)

/** A procedure for callers with credentials and this permission. */
export const allowed = (permission: Permission) =>
  t.procedure.meta({ permission }).use(async ({ batchIndex, ctx, next, signal, type }) => {
    const { raw, session } = await run(ctx, enter(ctx, permission, { batchIndex, type }), signal)
    return next(entered({ session }, raw))
  })

/** What a procedure does once its caller has been let in and its input has been read. */
export type Handle<C extends Call, I, A> = (given: {
  readonly ctx: C
  readonly input: I
}) => Effect.Effect<A, CoreError, Services>

/** Answers with an effect. tRPC awaits it as a promise; REST finds it as `handle` and runs it in the call's own fiber. */
export const answer = <C extends Call, I, A>(handle: Handle<C, I, A>) => {
  const resolve = ({ ctx, input, signal }: { ctx: C; input: I; signal?: AbortSignal | undefined }) =>
    run(ctx, handle({ ctx, input }), signal)
  return Object.assign(resolve, { handle })
}
