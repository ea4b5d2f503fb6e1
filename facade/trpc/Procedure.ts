import { initTRPC, TRPCError } from "@trpc/server"
import { TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc"
import { Cause, Effect, Exit, Option, type Scope } from "effect"
import type { OpenApiMeta } from "trpc-to-openapi"
import type { ErrorCode } from "../../core/domain/ErrorCodes.ts"
import type { CoreError } from "../../core/domain/Errors.ts"
import type { Permission } from "../../core/domain/Token.ts"
import type { Call, FileReply, Services } from "../call/Call.ts"
import { type Gate, gateFor, openGate } from "./Gate.ts"
import { publicErrorOf, trpcCodeOf, trpcError } from "./PublicError.ts"

/** What a procedure tells REST and the OpenAPI document of itself, beside its input and output. */
interface Described {
  readonly openapi?: Omit<NonNullable<OpenApiMeta["openapi"]>, "protect">
  /** Other paths of the same endpoint. */
  readonly alias?: ReadonlyArray<`/${string}`>
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
  /** Causes that show a code where the catalogue's own words, or its example, would not be true. */
  readonly causes?: ReadonlyArray<CoreError>
  /** `message` where it is not always the same. */
  readonly example?: { readonly request?: unknown; readonly message?: string; readonly data: unknown }
}

/** The same with its gate, which only its builder knows. */
export interface Meta extends Described {
  readonly gate: Gate
}

const t = initTRPC
  .context<Call>()
  .meta<Described>()
  .create({
    isDev: false,
    errorFormatter: ({ ctx, error, path }) => {
      const shown = publicErrorOf(error)
      const { code, details, message, status } = shown
      const trpcCode = trpcCodeOf(shown)
      return {
        code: TRPC_ERROR_CODES_BY_KEY[trpcCode],
        message,
        data: {
          code: trpcCode,
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
const contextAndInput = <C extends Call>({
  ctx,
  raw
}: {
  readonly ctx: C
  readonly raw: unknown
}): { readonly ctx: C } => {
  const both = { ctx, getRawInput: async () => raw }
  return both
}

/** A procedure behind a gate. tRPC enters by it here; REST finds it in the meta, and the document what it says. */
const procedureBehind = <C extends Call>(gate: Gate<C>) => {
  const meta: Meta = { gate }
  return t.procedure
    .meta(meta)
    .use(async ({ batchIndex, ctx, next, signal, type }) =>
      next(contextAndInput(await run(ctx, gate.enter(ctx, { batchIndex, type }), signal)))
    )
}

/** A procedure that anybody may call. */
export const open = procedureBehind(openGate)

/** A procedure for callers with credentials and this permission. */
export const allowed = (permission: Permission) => procedureBehind(gateFor(permission))

/** What a procedure finds once its caller has been let in and its input has been read. */
interface Given<C extends Call, I> {
  readonly ctx: C
  readonly input: I
}

/** What a procedure does. */
export type Handle<C extends Call, I, A> = (given: Given<C, I>) => Effect.Effect<A, CoreError, Services>

/**
 * What it does instead where it was asked for a file; undefined where it was not. The file lives as long as the
 * request.
 */
export type HandleFile<C extends Call, I> = (
  given: Given<C, I>
) => Effect.Effect<FileReply, CoreError, Services | Scope.Scope> | undefined

/**
 * Answers with an effect. tRPC awaits it as a promise; REST finds it as `handle` and runs it in the call's own fiber,
 * or `file` in its place. tRPC has no files: its callers get the answer, whatever they ask for.
 */
export const answer = <C extends Call, I, A>(handle: Handle<C, I, A>, file?: HandleFile<C, I>) => {
  const resolve = ({ ctx, input, signal }: { ctx: C; input: I; signal?: AbortSignal | undefined }) =>
    run(ctx, handle({ ctx, input }), signal)
  return Object.assign(resolve, { handle, file })
}
