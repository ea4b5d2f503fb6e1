import { Clock, Effect, Option, type Schema, type Scope } from "effect"
import type { ErrorCode } from "../../core/domain/ErrorCodes.ts"
import { type BodyTooLarge, type CoreError, Invalid, type NotJson } from "../../core/domain/Errors.ts"
import type { Session } from "../../core/domain/Session.ts"
import { refuseForeign } from "../../core/workflows/Authenticate.ts"
import type { Call, FileReply, Services } from "./Call.ts"
import { integerOf } from "./Fields.ts"
import type { Gate } from "./Gate.ts"
import type { Input } from "./Input.ts"
import type { Tag } from "./Introduction.ts"

/** The kind of a procedure. A query only reads: REST uses GET. A mutation has a body: REST uses POST. */
export type ProcedureType = "query" | "mutation"

/** The HTTP methods that REST uses instead of POST to change or delete one resource. */
export type RestMethod = "PATCH" | "DELETE"

type Path = `/${string}`

/**
 * One allowed combination of body fields, for a body with fields that depend on each other. Only the documentation uses
 * it.
 */
export interface BodyForm {
  readonly description: string
  /** Optional fields of the input that are required in this form. */
  readonly needs: ReadonlyArray<string>
  /** Fields of the input that this form does not need. */
  readonly without?: ReadonlyArray<string>
}

/** The facts about a procedure that REST and the OpenAPI document need in addition to its input and output. */
interface Meta {
  readonly path: Path
  /** The HTTP method of REST, if it is neither GET for a query nor POST for a mutation. */
  readonly method?: RestMethod
  /** Other paths of the same endpoint. */
  readonly aliases?: ReadonlyArray<Path>
  readonly summary: string
  readonly description?: string
  /** The group of the endpoint in the documentation. */
  readonly tag: Tag
  /** The HTTP status of a success; 200 by default. */
  readonly status?: number
  /**
   * The message of a success, for a person. A procedure with varying messages sets the message in the call's reply
   * instead.
   */
  readonly message?: string
  /** Whether responses carry an ETag, because their data rarely changes. */
  readonly cached?: boolean
  /** The types of the files that REST can send instead of JSON. */
  readonly files?: ReadonlyArray<"application/pdf" | "text/csv">
  /** Whether REST always sends the file and never JSON. */
  readonly onlyFile?: boolean
  /** The error codes of this endpoint, in addition to the codes of every endpoint of its kind. */
  readonly errors?: ReadonlyArray<ErrorCode>
  /** The documented errors of a code, if the catalogue's message or example does not fit this endpoint. */
  readonly causes?: ReadonlyArray<CoreError>
  /** The forms of the body, by component name. A body has one of these forms. */
  readonly forms?: Readonly<Record<string, BodyForm>>
  /**
   * The documented example: one request or several by name, and the response. It contains `message` only if
   * `Meta.message` is absent.
   */
  readonly example?: {
    readonly request?: unknown
    readonly requests?: Readonly<Record<string, unknown>>
    readonly message?: string
    readonly data: unknown
  }
  /** The example of a file that is text. */
  readonly fileExample?: string
}

/** The arguments of a handler: the call, the caller's session (null behind an open gate) and the decoded input. */
export interface Given<S, A> {
  readonly call: Call
  readonly session: S
  readonly input: A
}

/** The parts of a procedure. The REST endpoint, the tRPC procedure and the OpenAPI document are made from them. */
interface Definition<S extends Session | null, A, I, O> {
  readonly gate: Gate<S>
  readonly input: Input<A, I>
  /**
   * The schema of the output. The compiler checks that the handler returns this type, so the output is not checked
   * again at run time.
   */
  readonly output: Schema.Schema<O>
  readonly meta: Meta
  handle(given: Given<S, A>): Effect.Effect<NoInfer<O>, CoreError, Services>
  /**
   * The file that REST sends instead of the output. Undefined if the input does not request a file. The file's
   * resources stay open until the request ends. tRPC has no files and always calls `handle`.
   */
  file?(given: Given<S, A>): Effect.Effect<FileReply, CoreError, Services | Scope.Scope> | undefined
}

/** One operation of the service. */
export interface Procedure<
  Type extends ProcedureType = ProcedureType,
  S extends Session | null = Session | null,
  A = unknown,
  I = unknown,
  O = unknown
> extends Definition<S, A, I, O> {
  readonly type: Type
}

export const query = <S extends Session | null, A, I, O>(
  definition: Definition<S, A, I, O>
): Procedure<"query", S, A, I, O> => ({ type: "query", ...definition })

export const mutation = <S extends Session | null, A, I, O>(
  definition: Definition<S, A, I, O>
): Procedure<"mutation", S, A, I, O> => ({ type: "mutation", ...definition })

const namesCompany = (raw: unknown): raw is { readonly empresa_id: unknown } =>
  typeof raw === "object" && raw !== null && Object.hasOwn(raw, "empresa_id")

const refuseForeignCompany = (session: Session, named: unknown): Effect.Effect<void, CoreError, Services> =>
  Option.match(integerOf(named), {
    onNone: () => Effect.fail(new Invalid({ details: { empresa_id: "invalido" } })),
    onSome: (company) => refuseForeign(session, company)
  })

/** Reads the input that the client sent, not yet decoded. */
export type RawInput = Effect.Effect<unknown, BodyTooLarge | Invalid | NotJson>

/** How long a body may take to arrive before the gate checks the call again. */
const slowBody_ns = 1_000_000_000n

/**
 * Reads the request body. If it took long to arrive, the gate then checks the credentials again, because the token may have
 * been revoked in the meantime. Otherwise a client with a stolen token could open many calls, hold back the last byte of
 * each, and have them executed after the revocation.
 */
const arrived = <S extends Session | null>(gate: Gate<S>, call: Call, session: S, raw: RawInput) =>
  Effect.flatMap(Clock.monotonicTimeNanos, (began_ns) =>
    Effect.flatMap(raw, (sent = {}) =>
      Effect.flatMap(Clock.monotonicTimeNanos, (now_ns) =>
        now_ns - began_ns < slowBody_ns
          ? Effect.succeed({ sent, session })
          : Effect.map(gate.enterAgain(call), (session) => ({ sent, session }))
      )
    )
  )

/**
 * Runs every step before the handler, for REST and tRPC alike. First comes the gate, then the body and the company that
 * the body names, and then the decoding of the input. Contract: 4.5 and 5.
 */
export const prepare = <S extends Session | null, A, I, O>(
  { gate, input, type }: Procedure<ProcedureType, S, A, I, O>,
  call: Call,
  raw: RawInput
): Effect.Effect<Given<S, A>, CoreError, Services> =>
  Effect.flatMap(gate.enter(call), (entered) =>
    Effect.flatMap(arrived(gate, call, entered, raw), ({ sent, session }) => {
      const decode = () =>
        Effect.map(Effect.fromResult(input.read(sent)), (decoded) => ({ call, session, input: decoded }))
      // Only a body may name a company. A query parameter with the same name is an unknown parameter and is ignored.
      return type === "mutation" && session !== null && namesCompany(sent)
        ? Effect.andThen(refuseForeignCompany(session, sent.empresa_id), decode)
        : decode()
    })
  )
