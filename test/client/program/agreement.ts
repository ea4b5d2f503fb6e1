// Compares the types of the package with the types of the server. The paths are those of the repository, where this file
// is compiled.
import type { Wire as Plain } from "../../../facade/client/dist/index.js"
import type { Wire } from "../../../facade/client/Wire.ts"

type ReadOnly<A> = A extends object ? { readonly [Key in keyof A]: ReadOnly<A[Key]> } : A

type Calls<W extends { readonly procedures: object }> = W["procedures"]

/** The inputs or the outputs of all procedures. */
type Side<All, Name extends "input" | "output"> = {
  readonly [Resource in keyof All]: {
    readonly [Action in keyof All[Resource]]: All[Resource][Action] extends { readonly [N in Name]: infer A }
      ? ReadOnly<NonNullable<A>>
      : never
  }
}

type Details<W extends { readonly errorDetails: object }> = ReadOnly<W["errorDetails"]>

declare const served: {
  readonly outputs: Side<Calls<Wire>, "output">
  readonly event: ReadOnly<Wire["event"]>
  readonly code: Wire["errorCode"]
  readonly details: Omit<Details<Wire>, "VALIDATION_ERROR">
}

declare const sent: Side<Calls<Plain>, "input">

/**
 * The client's types accept everything that the server sends. The server's type of VALIDATION_ERROR is wider, because any
 * field of any operation may be invalid.
 */
export const read: {
  readonly outputs: Side<Calls<Plain>, "output">
  readonly event: ReadOnly<Plain["event"]>
  readonly code: Plain["errorCode"]
  readonly details: Omit<Details<Plain>, "VALIDATION_ERROR">
} = served

/** The server's types accept everything that the client may send. */
export const taken: Side<Calls<Wire>, "input"> = sent

// @ts-expect-error: the types above are known, and not `any`.
export const known: number = served.outputs.cuenta.saldo
