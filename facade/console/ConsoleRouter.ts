import { initTRPC, TRPCError, type TRPCMutationProcedure, type TRPCQueryProcedure } from "@trpc/server"
import { TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc"
import { Cause, type Context, Effect, Exit, Option, Record as Records } from "effect"
import { failureOf } from "../../core/domain/ErrorCatalogue.ts"
import { may } from "../../core/domain/Operator.ts"
import { NotAllowed } from "../../core/domain/OperatorErrors.ts"
import { CurrentActor } from "../../core/ports/CurrentActor.ts"
import type { RawInput } from "../api/Procedure.ts"
import { auditoria } from "./api/Auditoria.ts"
import { casos } from "./api/Casos.ts"
import { catalogo } from "./api/Catalogo.ts"
import { cierres } from "./api/Cierres.ts"
import { empresas } from "./api/Empresas.ts"
import { operadores } from "./api/Operadores.ts"
import { panorama } from "./api/Panorama.ts"
import { pendientes } from "./api/Pendientes.ts"
import type { OperatorSession, Procedure, ProcedureKind } from "./api/Procedure.ts"
import { propuestas } from "./api/Propuestas.ts"
import { seguros } from "./api/Seguros.ts"
import type { Services } from "./api/Services.ts"
import { sesion } from "./api/Sesion.ts"
import { tokens } from "./api/Tokens.ts"
import { transacciones } from "./api/Transacciones.ts"
import { webhooks } from "./api/Webhooks.ts"
import { type ConsoleError, NotAdmitted, refusalOf } from "./Refusals.ts"

/** All procedures of the console, by subject. */
export const procedures = {
  auditoria,
  casos,
  catalogo,
  cierres,
  empresas,
  operadores,
  panorama,
  pendientes,
  propuestas,
  seguros,
  sesion,
  tokens,
  transacciones,
  webhooks
}

/** The facts about a request that tRPC passes to a procedure. */
export interface ConsoleContext {
  readonly services: Context.Context<Services>
  readonly session: OperatorSession | null
  readonly address: string
  /** Whether the request has the Origin of the console. */
  readonly isOwnOrigin: boolean
  /** The session's CSRF token from the request header `x-saldo-ficha`. */
  readonly csrf: string | undefined
  /** Reads the input. `body_max` is the maximum size of the body. */
  readonly input: (body_max: number | undefined) => RawInput
  readonly keepSession: (token: OperatorSession["token"] | null) => void
}

const internal = {
  kind: "INTERNAL_SERVER_ERROR",
  code: "ERROR_INTERNO",
  message: "Error interno. Revise el registro del proceso de la consola."
} as const

const unreadable = {
  kind: "BAD_REQUEST",
  code: "SOLICITUD_INVALIDA",
  message: "La solicitud no se puede leer."
} as const

const unknown = { kind: "NOT_FOUND", code: "NO_EXISTE", message: "Esta operación no existe." } as const

const isDefect = ({ code }: TRPCError) => code === "INTERNAL_SERVER_ERROR"

/** The defect of a failed call, for the log. Undefined if the call was refused. */
export const defectOf = (error: TRPCError): unknown => (isDefect(error) ? (error.cause ?? error) : undefined)

const shownError = (error: TRPCError) =>
  refusalOf(error.cause) ?? (isDefect(error) ? internal : error.code === "NOT_FOUND" ? unknown : unreadable)

const t = initTRPC.context<ConsoleContext>().create({
  isDev: false,
  errorFormatter: ({ error, shape }) => {
    const { kind, ...refusal } = shownError(error)
    return { code: TRPC_ERROR_CODES_BY_KEY[kind], message: refusal.message, data: { ...shape.data, error: refusal } }
  }
})

const refuse = (why: NotAdmitted["why"]) => new NotAdmitted({ why })

/** Decides whether the caller may call the procedure. */
const admit = Effect.fnUntraced(function* (
  { gate, kind, withoutPassword = false }: Procedure,
  { csrf, isOwnOrigin, session }: ConsoleContext
) {
  const isChange = kind === "mutation"
  if (isChange && !isOwnOrigin) return yield* refuse("foreign_origin")
  if (gate === "public") return
  if (session === null) return yield* refuse("no_session")
  if (isChange && csrf !== session.csrf) return yield* refuse("wrong_token")
  const { role } = session.actor
  if (gate !== "session" && !may(role, gate)) return yield* new NotAllowed({ action: gate, role, isSignedIn: true })
  if (isChange && !withoutPassword && !session.isFresh) return yield* refuse("old_password")
})

const perform = Effect.fnUntraced(function* (procedure: Procedure, context: ConsoleContext) {
  yield* admit(procedure, context)
  const sent = (yield* context.input(procedure.body_max)) ?? {}
  const input = yield* Effect.fromResult(procedure.input.read(sent))
  const { address, keepSession, session } = context
  const handled = procedure.handle({ address, input, keepSession, session })
  return yield* session === null ? handled : Effect.provideService(handled, CurrentActor, session.actor)
})

const run = async <A>(
  work: Effect.Effect<A, ConsoleError, Services>,
  { services }: ConsoleContext,
  signal?: AbortSignal
) => {
  const exit = await Effect.runPromiseExitWith(services)(work, { signal })
  if (Exit.isSuccess(exit)) return exit.value
  const failure = Option.getOrUndefined(failureOf(exit.cause))
  const refusal = refusalOf(failure)
  if (refusal !== undefined) throw new TRPCError({ code: refusal.kind, message: refusal.message, cause: failure })
  if (Cause.hasInterruptsOnly(exit.cause)) throw new TRPCError({ code: "CLIENT_CLOSED_REQUEST" })
  throw new TRPCError({ code: "INTERNAL_SERVER_ERROR", cause: Cause.squash(exit.cause) })
}

const routed = (procedure: Procedure) => {
  const resolve = ({ ctx, signal }: { ctx: ConsoleContext; signal: AbortSignal | undefined }) =>
    run(perform(procedure, ctx), ctx, signal)
  return procedure.kind === "query" ? t.procedure.query(resolve) : t.procedure.mutation(resolve)
}

type Routed<P> =
  P extends Procedure<infer Kind extends ProcedureKind, infer _A, infer I, infer O>
    ? Kind extends "query"
      ? TRPCQueryProcedure<{ input: I; output: O; meta: unknown }>
      : TRPCMutationProcedure<{ input: I; output: O; meta: unknown }>
    : never

type RoutedTree<Tree> = {
  [Subject in keyof Tree]: { [Name in keyof Tree[Subject]]: Routed<Tree[Subject][Name]> }
}

const tree = Records.map(procedures as Readonly<Record<string, Readonly<Record<string, Procedure>>>>, (subject) =>
  Records.map(subject, routed)
)

/** The tRPC router of the console. */
export const consoleRouter = t.router(tree as unknown as RoutedTree<typeof procedures>)
export type ConsoleRouter = typeof consoleRouter
