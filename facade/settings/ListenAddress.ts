import { Predicate, Schema } from "effect"
import { integer, matchingPattern, orOff, variable } from "./Variable.ts"

/** The variable with a port that may be turned off. Null if the operator chose no port. */
export const portOrOff = (name: string) =>
  variable(name, {
    expected: "a port from 0 to 65535 (0 for any free port), or off",
    read: orOff(integer(0, 65_535)),
    fallback: null
  })

/** The variable with the address on which a port listens. Local by default. */
export const listenHost = (name: string) =>
  variable(name, { expected: "an address to listen on", read: matchingPattern(/^[\w.:-]+$/), fallback: "127.0.0.1" })

/** The process cannot listen. The message states the reason and the remedy in one line. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  message: Schema.String
}) {}

interface Place {
  readonly host: string
  readonly port: number
}

const explain = (cause: unknown, { host, port }: Place, variables: { readonly [Part in keyof Place]: string }) => {
  const code = Predicate.hasProperty(cause, "code") ? String(cause.code) : String(cause)
  switch (code) {
    case "EADDRINUSE":
      return `port ${port} at ${host} is taken: stop the program that listens there, or set ${variables.port} to another port`
    case "EACCES":
      return `port ${port} may not be used by this user (${code}): set ${variables.port} to 1024 or higher`
    default:
      return `cannot listen at ${host}, port ${port} (${code}): set ${variables.host} to a name or an address of this machine`
  }
}

/** The error of a failed attempt to listen. Names the variables that change the address. */
export const cannotListen = (...why: Parameters<typeof explain>) => new CannotListen({ message: explain(...why) })

/**
 * The URL at which programs on this machine reach a server. A server that listens on all addresses is reachable as
 * localhost.
 */
export const localUrl = (
  scheme: "http" | "https",
  { host, port }: { readonly host: string; readonly port: number }
) => {
  const name = ["0.0.0.0", "::", "localhost"].includes(host) ? "localhost" : host.includes(":") ? `[${host}]` : host
  return `${scheme}://${name}:${port}`
}
