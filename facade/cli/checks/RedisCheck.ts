import { Duration, Effect, Redacted } from "effect"
import { type Check, fine, wrong } from "./Check.ts"

/** Long enough for a connection with TLS. A count waits far shorter, and then is made by the process itself. */
const answer_max = Duration.seconds(3)

/** The first sentence of what went wrong: Redis explains itself at length. */
const because = (cause: unknown): string => {
  const [first = ""] = (cause instanceof Error ? cause.message : String(cause)).split(/\.? *\n|\. /)
  return first
}

const client = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { createClient } = await import("redis")
      const made = createClient({ url, socket: { reconnectStrategy: false } })
      // Whoever waits for an answer hears of it; an event that nobody listens to would end the process.
      made.on("error", () => {})
      return made
    }),
    (made) => Effect.sync(() => made.destroy())
  )

/**
 * Whether Redis answers a PING. One that accepts connections may still refuse every command, for want of a password or
 * because it takes orders from its own machine alone.
 */
export const redisCheck = (address: Redacted.Redacted): Effect.Effect<Check> => {
  const url = Redacted.value(address)
  const { host } = new URL(url)
  // The clock runs for Redis alone: to load its client takes a busy machine seconds.
  const answered = (made: Effect.Success<ReturnType<typeof client>>) =>
    Effect.tryPromise(() => made.connect().then(() => made.ping())).pipe(
      Effect.mapError(({ cause }) => because(cause)),
      Effect.timeoutOrElse({ duration: answer_max, orElse: () => Effect.fail("no answer in 3 s") })
    )
  return Effect.flatMap(client(url), answered).pipe(
    Effect.scoped,
    Effect.match({
      onSuccess: () => fine("redis", `${host} answers`),
      onFailure: (reason) =>
        wrong("redis", `${host} does not answer (${reason}): until it does, each process counts calls by itself`)
    })
  )
}
