import { readFile } from "node:fs/promises"
import { Effect, Redacted } from "effect"
import { Store } from "../../settings/Store.ts"
import { type Check, fine } from "./Check.ts"

/** How often Linux sends again what nobody acknowledges; then the connection is dead. */
const setting = "net.ipv4.tcp_retries2"

/** Half a minute: longer than a network needs to find another way, shorter than anybody waits at a counter. */
const advised = 6

/** The pauses between the tries, in seconds. Each is twice the one before. */
const pause = { first_s: 0.2, longest_s: 120 }

/** How long a connection is kept that nobody acknowledges, in seconds. */
const patience_s = (retries: number): number => {
  const pauses = Array.from({ length: retries + 1 }, (_, n) => Math.min(pause.first_s * 2 ** n, pause.longest_s))
  return Math.round(pauses.reduce((sum, each) => sum + each, 0))
}

const here = /^(localhost|127\..*|\[::1\]|)$/

/**
 * How long a database is waited for that falls silent, because its machine or the way to it is gone without a word.
 * Everything works until then, so more than advised is nothing wrong.
 *
 * @param retries what the system is set to; null where it does not say.
 */
export const silenceCheck = (host: string, retries: number | null): Check => {
  const name = "silence"
  if (here.test(host)) return fine(name, "the database is on this machine, which never falls silent to itself")
  if (retries === null) return fine(name, `this system does not tell how long it waits for a ${host} that falls silent`)
  const said = `a connection to ${host} that falls silent is given up after ${patience_s(retries)} s`
  return fine(
    name,
    retries <= advised ? said : `${said}, and calls wait as long; ${setting} = ${advised} would make it less`
  )
}

const retries = Effect.tryPromise(() => readFile(`/proc/sys/${setting.replaceAll(".", "/")}`, "utf8")).pipe(
  Effect.map(Number),
  Effect.orElseSucceed(() => null)
)

/** The same for the database of this installation. */
export const silence = Effect.gen(function* () {
  const { url } = yield* Store
  return silenceCheck(new URL(Redacted.value(url)).hostname, yield* retries)
})
