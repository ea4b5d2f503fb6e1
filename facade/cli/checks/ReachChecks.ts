import { connect, isIP } from "node:net"
import { connect as connectSecurely } from "node:tls"
import { Data, Duration, Effect } from "effect"
import { Settings } from "../../settings/Settings.ts"
import { type Check, fine, wrong } from "./Check.ts"
import { redisCheck } from "./RedisCheck.ts"

/** Whoever does not accept a connection in this time would make sales wait. */
const connect_max = Duration.seconds(3)

const ports: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 }

class Unreachable extends Data.TaggedError("Unreachable")<{ readonly message: string }> {}

/** Connects, with TLS where it is spoken, and hangs up: nothing is asked, so nothing can be sold. */
const reach = ({ hostname, port, protocol }: URL) =>
  Effect.callback<void, Unreachable>((resume) => {
    const isSecure = protocol === "https:"
    const host = hostname.replace(/^\[|\]$/g, "")
    const place = { host, port: port === "" ? (ports[protocol] ?? 0) : Number(port) }
    // Servers that share an address show the certificate of the name that is asked for; an address is no name.
    const named = isIP(host) === 0 ? { servername: host } : {}
    const socket = isSecure ? connectSecurely({ ...place, ...named }) : connect(place)
    socket.once(isSecure ? "secureConnect" : "connect", () => {
      // The other side may keep the connection for ever, and nobody would come back to the prompt.
      socket.destroy()
      resume(Effect.void)
    })
    socket.once("error", ({ message }) => resume(Effect.fail(new Unreachable({ message }))))
    return Effect.sync(() => socket.destroy())
  }).pipe(
    Effect.timeoutOrElse({
      duration: connect_max,
      orElse: () => Effect.fail(new Unreachable({ message: "no connection in 3 s" }))
    })
  )

const reachable = (name: string, address: string): Effect.Effect<Check> => {
  const url = new URL(address)
  return Effect.match(reach(url), {
    onSuccess: () => fine(name, `${url.host} accepts connections; nothing was asked`),
    onFailure: (error) =>
      wrong(name, `${url.host} cannot be reached (${error.message}): check its address, and what stands between`)
  })
}

/** Whether those who are configured can be reached; the database has checks of its own. */
export const reachChecks = Effect.gen(function* () {
  const { otlp, parties, redisUrl } = yield* Settings
  const places: Readonly<Record<string, string | undefined>> = {
    provider: parties.provider?.baseUrl,
    insurer: parties.insurer?.baseUrl,
    sms: parties.sms?.baseUrl,
    collector: otlp?.url
  }
  const configured = Object.entries(places).flatMap(([name, address]) =>
    address === undefined ? [] : [reachable(name, address)]
  )
  return yield* Effect.all(redisUrl === null ? configured : [...configured, redisCheck(redisUrl)], {
    concurrency: "unbounded"
  })
})
