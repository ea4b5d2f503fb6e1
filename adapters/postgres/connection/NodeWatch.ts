import { connect, type Socket } from "node:net"
import { PgConnection } from "@effect/sql-pg"
import { Duration, Effect, Fiber, Latch, Redacted, Schedule } from "effect"
import { DatabaseUnavailable, keepAlive } from "./Database.ts"

/** Pause between two questions to the server of a node. */
const pause = Duration.seconds(1)

/** Half of the time limit for the server's answer to a question. */
const halfAnswer_max = Duration.seconds(1)

/** Interval of the attempts to connect while a server refuses connections. */
const reconnectEvery = Duration.seconds(1)

/**
 * Watches the server of a node. A server that is stopped, or behind a firewall that drops packets, neither answers nor
 * refuses connections. Without a watch, each statement would wait for this server without end.
 */
export interface NodeWatch {
  /** Opens a socket to an address of the server. Throws while the server does not answer. */
  readonly socket: (url: Redacted.Redacted) => Socket
  /** Fails while the server does not answer. Begins to watch the server. */
  readonly answers: Effect.Effect<void, DatabaseUnavailable>
}

/** Where the driver would connect to. Parameters of the address take precedence. */
const placeOf = (url: Redacted.Redacted) => {
  const { hostname, port, searchParams } = new URL(Redacted.value(url))
  const host = searchParams.get("host") ?? decodeURIComponent(hostname.replace(/^\[|\]$/g, ""))
  const number = Number(searchParams.get("port") ?? (port || 5432))
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${number}` } : { host: host || "localhost", port: number }
}

/**
 * Asks the server each second, on a connection of its own. If an answer takes longer than two seconds, cuts all connections
 * to the server. Callers then see lost connections, as when a server dies, and new calls fail immediately until the server
 * answers again.
 *
 * @param name the node, for the log.
 */
export const watchNode = Effect.fnUntraced(function* (name: string, url: Redacted.Redacted) {
  const begun = Latch.makeUnsafe()
  const sockets = new Set<Socket>()
  const silent = new Error(`the server of the node ${name} does not answer`)
  let isSilent = false

  const open = (url: Redacted.Redacted) => {
    const options = { noDelay: true, keepAlive: true, keepAliveInitialDelay: Duration.toMillis(keepAlive) }
    const socket = connect({ ...placeOf(url), ...options })
    sockets.add(socket)
    // With TLS the driver listens for errors of the encrypted socket only.
    return socket.on("error", () => {}).once("close", () => sockets.delete(socket))
  }

  const cut = Effect.suspend(() => {
    for (const socket of sockets) socket.destroy(silent)
    if (isSilent) return Effect.void
    isSilent = true
    return Effect.logError("a node does not answer; the calls of its companies get 503", { node: name })
  })

  const answered = Effect.suspend(() => {
    if (!isSilent) return Effect.void
    isSilent = false
    return Effect.logInfo("a node answers again", { node: name })
  })

  // Waits in two halves. If this process was suspended, the first half ends at once. The second half leaves time to
  // receive an answer that has already arrived.
  const cutWhenLate = Effect.sleep(halfAnswer_max).pipe(
    Effect.andThen(Effect.sleep(halfAnswer_max)),
    Effect.andThen(cut)
  )

  /** Runs a question. Cutting the connections ends a question that takes too long. */
  const inTime = <A, E, R>(question: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const timer = yield* Effect.forkChild(cutWhenLate)
      return yield* Effect.ensuring(question, Fiber.interrupt(timer))
    })

  const askOnOneConnection = Effect.gen(function* () {
    const connecting = PgConnection.make({
      url,
      applicationName: "saldo watch",
      connectTimeout: "1 minute",
      stream: () => open(url)
    })
    const connection = yield* inTime(connecting)
    yield* answered
    const ask = inTime(connection.query("select 1"))
    return yield* Effect.repeat(ask, Schedule.spaced(pause))
  }).pipe(Effect.scoped)

  const watch = askOnOneConnection.pipe(Effect.ignore, Effect.repeat(Schedule.spaced(reconnectEvery)))
  yield* Effect.forkScoped(Effect.andThen(begun.await, watch))

  return {
    socket: (url) => {
      if (isSilent) throw silent
      return open(url)
    },
    answers: Effect.suspend(() => {
      begun.openUnsafe()
      return isSilent ? Effect.fail(new DatabaseUnavailable({ message: silent.message, answers: false })) : Effect.void
    })
  } satisfies NodeWatch as NodeWatch
})
