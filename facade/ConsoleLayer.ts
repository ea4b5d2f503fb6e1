import { Effect, Layer, Redacted } from "effect"
import { localLink } from "../core/workflows/AcceptInvitation.ts"
import { baseLayer, operatorPortsOn } from "./AppLayer.ts"
import { ConsoleAddress, layer as serverLayer } from "./console/ConsoleServer.ts"
import { DatabaseServer } from "./settings/DatabaseServer.ts"
import type { CannotListen } from "./settings/ListenAddress.ts"
import { Settings, WrongSettings } from "./settings/Settings.ts"

/** Database connections of the console. */
const connections_max = 8

type ConsoleSettings = NonNullable<Settings["Service"]["console"]>

/** The console with the ports that it needs, on a database server. */
export const consoleOn = (settings: ConsoleSettings) =>
  Layer.provideMerge(serverLayer(settings), operatorPortsOn(connections_max))

/** The URL of the console. While no admin has an account, it contains a one-time link that opens the console. */
const entrance = Effect.gen(function* () {
  const { url } = yield* ConsoleAddress
  const link = yield* localLink()
  return link === null ? url : `${url}/acceso#${Redacted.value(link)}`
})

/** Makes the files of the pages in the background. */
const preparing = ConsoleAddress.use(({ prepare }) => Effect.forkScoped(prepare))

// If another program uses the default port, and the operator chose no port, the service runs without the console.
const withoutConsole = ({ message }: CannotListen) =>
  Effect.as(Effect.logWarning(`the operator console is not available: ${message}`), null)

/**
 * Starts the console in the process of a server, until the scope ends. The console has its own connections, because the
 * database role of a server lacks rights that the console needs.
 *
 * @returns the URL. Null if another program has the default port.
 */
export const consoleBeside = Effect.fnUntraced(function* (settings: ConsoleSettings) {
  const starting = Layer.build(Layer.fresh(consoleOn(settings)))
  const started = settings.wanted ? starting : Effect.catchTag(starting, "CannotListen", withoutConsole)
  const context = yield* started
  if (context === null) return null
  yield* Effect.provide(preparing, context)
  return yield* Effect.provide(entrance, context)
})

const wantedConsole = Layer.unwrap(
  Settings.use(({ console }) =>
    console === null
      ? Effect.fail(new WrongSettings({ message: "CONSOLE_PORT is off; set it to a port to serve the console" }))
      : Effect.succeed(consoleOn(console))
  )
)

/** The whole process of `saldo console`. Calls `announce` with the URL once the console listens. */
export const consoleProcess = (announce: (url: string, place: string) => Effect.Effect<void>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { place } = yield* DatabaseServer
      yield* announce(yield* entrance, place)
      yield* preparing
    })
  ).pipe(Layer.provide(wantedConsole), Layer.provide(DatabaseServer.layer), Layer.provide(baseLayer))
