import { dataOf, fileOf } from "./Answers.ts"
import {
  type Answer,
  type CallOptions,
  type ClientOptions,
  connect,
  type Request,
  type RequestOptions
} from "./Connection.ts"
import { isFailure } from "./Errors.ts"
import { type Kind, repeated, type Surroundings } from "./Repeat.ts"
import type { Wire } from "./Wire.ts"

/** Options of a call that belongs to an operation with a deadline. */
export interface BoundedOptions extends RequestOptions {
  /** The instant after which the call is not retried. */
  readonly until_ms?: number | undefined
}

type ProcedureType = "query" | "mutation"

/** The ways to call the service. */
export interface Calls {
  /** Calls a procedure by its name, for example `recargas.crear`. */
  procedure(type: ProcedureType, name: string, input?: object, options?: BoundedOptions): Promise<unknown>
  /** Reads the file at a REST path. */
  file(path: string, options?: CallOptions): Promise<Uint8Array>
}

type Resources = Wire["procedures"]

type KeyedOf<Resource extends keyof Resources> = {
  [Action in keyof Resources[Resource] & string]: Resources[Resource][Action] extends {
    readonly type: "mutation"
    readonly input: infer I
  }
    ? "idempotency_key" extends keyof NonNullable<I>
      ? `${Resource}.${Action}`
      : never
    : never
}[keyof Resources[Resource] & string]

type KeyedProcedure = { [Resource in keyof Resources]: KeyedOf<Resource> }[keyof Resources]

const keyedProcedures: Readonly<Record<KeyedProcedure, true>> = { "recargas.crear": true, "transacciones.anular": true }

const kindOf = (type: ProcedureType, name: string): Kind => {
  if (type === "query") return "read"
  return Object.hasOwn(keyedProcedures, name) ? "keyed" : "unkeyed"
}

/** A new idempotency key. crypto.randomUUID is absent on pages that a browser loads without TLS. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

const keyOf = (input: object): string | undefined => {
  const { idempotency_key } = input as { readonly idempotency_key?: string }
  return idempotency_key
}

const requestOf = (type: ProcedureType, name: string, input: object | undefined): Request => {
  const path = `/trpc/${name}`
  // The body is encoded only once, so a retry sends the same sale even if the program has changed the object.
  const body = JSON.stringify(input)
  if (type === "mutation") return { path, body: body ?? "{}" }
  return { path: body === undefined ? path : `${path}?input=${encodeURIComponent(body)}` }
}

const retries_default = 5

/** Calls the service over a connection, and retries the calls that are safe to retry. */
export const callsTo = (options: ClientOptions, surroundings: Surroundings): Calls => {
  const { retries = retries_default } = options
  const send = connect(options)

  const run = <A>(kind: Kind, request: Request, read: (answer: Answer) => A, given: BoundedOptions): Promise<A> =>
    repeated(surroundings, kind, { retries, ...given }, async () => read(await send(request, given)))

  return {
    file: (path, given = {}) => run("read", { path }, fileOf, given),

    async procedure(type, name, input, given = {}) {
      const kind = kindOf(type, name)
      const key = kind === "keyed" ? (keyOf({ ...input }) ?? newKey()) : undefined
      const sent = key === undefined ? input : { ...input, idempotency_key: key }
      try {
        return await run(kind, requestOf(type, name, sent), dataOf, given)
      } catch (error) {
        if (isFailure(error)) error.idempotencyKey = key
        throw error
      }
    }
  }
}
