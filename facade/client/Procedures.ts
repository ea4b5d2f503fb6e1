import type { Calls } from "./Calls.ts"
import type { CallOptions } from "./Connection.ts"
import type { Wire } from "./Wire.ts"

type Resources = Wire["procedures"]

/** The arguments of a call. The input may be left out if all its fields are optional. */
type Given<I> = {} extends I ? [input?: I, options?: CallOptions] : [input: I, options?: CallOptions]

type Callable<Call> = Call extends { readonly type: "query"; readonly input: infer I; readonly output: infer O }
  ? { query(...given: Given<I>): Promise<O> }
  : Call extends { readonly type: "mutation"; readonly input: infer I; readonly output: infer O }
    ? { mutate(...given: Given<I>): Promise<O> }
    : never

/** All procedures of the service, by resource. Queries only read. Mutations change something. */
export type Procedures = {
  readonly [Resource in keyof Resources]: {
    readonly [Action in keyof Resources[Resource]]: Callable<Resources[Resource][Action]>
  }
}

/** The input of a procedure: `Input<"recargas", "crear">`. */
export type Input<
  Resource extends keyof Resources,
  Action extends keyof Resources[Resource]
> = Resources[Resource][Action] extends { readonly input: infer I } ? NonNullable<I> : never

/** The output of a procedure: `Output<"transacciones", "ver">`. */
export type Output<
  Resource extends keyof Resources,
  Action extends keyof Resources[Resource]
> = Resources[Resource][Action] extends { readonly output: infer O } ? O : never

const resources: Readonly<Record<keyof Resources, true>> = {
  sistema: true,
  cuenta: true,
  catalogo: true,
  consultas: true,
  seguros: true,
  recargas: true,
  transacciones: true,
  movimientos: true,
  cierres: true,
  eventos: true,
  webhooks: true
}

/**
 * The procedures of each resource. A proxy makes a call from each property name that a program reads, so that this file
 * lists no procedure names.
 */
export const proceduresOver = ({ procedure }: Calls): Procedures => {
  const actionsOf = (resource: string) =>
    new Proxy(
      {},
      {
        get: (_, action) => {
          const name = `${resource}.${String(action)}`
          return {
            query: (input?: object, options?: CallOptions) => procedure("query", name, input, options),
            mutate: (input?: object, options?: CallOptions) => procedure("mutation", name, input, options)
          }
        }
      }
    )
  return Object.fromEntries(Object.keys(resources).map((name) => [name, actionsOf(name)])) as unknown as Procedures
}
