import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { Role } from "../../core/domain/Operator.ts"
import { operatorPorts } from "../../facade/AppLayer.ts"
import type { OperatorSession } from "../../facade/console/api/Procedure.ts"
import { Sessions } from "../../facade/console/api/Sessions.ts"
import { procedures } from "../../facade/console/ConsoleRouter.ts"
import { ConsoleAddress, layer as consoleServer } from "../../facade/console/ConsoleServer.ts"
import { csrfHeader, proceduresPath } from "../../facade/console/Paths.ts"
import { Settings } from "../../facade/settings/Settings.ts"
import { freshDatabaseUrl } from "../support/Database.ts"
import { asLoginIn } from "../support/DatabaseLogins.ts"
import { ManualClock } from "../support/InProcessService.ts"

const sessionOf = (role: Role): OperatorSession => ({
  token: Redacted.make(role),
  actor: { id: null, name: role, role, via: "console", address: null },
  csrf: `ficha-${role}`,
  isFresh: true
})

const sessionsOfRoles = Layer.succeed(Sessions, {
  find: (token) =>
    Effect.succeed(Role.literals.map(sessionOf).find(({ actor }) => actor.name === Redacted.value(token)) ?? null),
  end: () => Effect.void
})

const consoleOn = (url: string, environment: Readonly<Record<string, string>>) =>
  Layer.unwrap(
    Settings.use(({ console }) =>
      console === null ? Effect.die("CONSOLE_PORT is off") : Effect.succeed(consoleServer(console))
    )
  ).pipe(
    Layer.provide(sessionsOfRoles),
    Layer.provideMerge(operatorPorts),
    Layer.provide(
      Layer.succeed(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromUnknown({ CONSOLE_PORT: "0", LOG_LEVEL: "none", DATABASE_URL: url, ...environment })
      )
    )
  )

/** A console on its own database, with the database login of an operator. The test controls the clock. */
export const testConsole = (environment: Readonly<Record<string, string>> = {}) =>
  Layer.unwrap(Effect.map(freshDatabaseUrl, (url) => consoleOn(asLoginIn("saldo_operator", url), environment))).pipe(
    Layer.provideMerge(ManualClock.layer)
  )

/** The names of all procedures with their records. */
export const everyProcedure = Object.entries(procedures).flatMap(([subject, named]) =>
  Object.entries(named).map(([name, procedure]) => ({ name: `${subject}.${name}`, procedure }))
)

/** The credentials of a signed-in browser. */
export interface Browser {
  readonly cookie: string
  readonly csrf: string
}

/** A browser in which an operator with this role has signed in. */
export const browserOf = (role: Role): Browser => ({ cookie: `saldo=${role}`, csrf: `ficha-${role}` })

interface Sent {
  readonly input?: unknown
  readonly browser?: Browser | undefined
  /** Headers in addition to those that a page of the console sends. Undefined removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>
}

/** Calls a procedure as a page of the console does. */
export const callConsole = Effect.fnUntraced(function* (
  name: string,
  { browser, headers = {}, input = {} }: Sent = {}
) {
  const { url } = yield* ConsoleAddress
  const isChange = everyProcedure.find((each) => each.name === name)?.procedure.kind === "mutation"
  const query = isChange ? "" : `?input=${encodeURIComponent(JSON.stringify(input))}`
  const sent = {
    "content-type": "application/json",
    ...(isChange && { origin: url }),
    ...(browser && { cookie: browser.cookie, [csrfHeader]: browser.csrf }),
    ...headers
  }
  const response = yield* Effect.promise(() =>
    fetch(`${url}${proceduresPath}/${name}${query}`, {
      method: isChange ? "POST" : "GET",
      headers: Object.entries(sent).filter((header): header is [string, string] => header[1] !== undefined),
      ...(isChange && { body: JSON.stringify(input) })
    })
  )
  // biome-ignore lint/suspicious/noExplicitAny: the assertions check the body
  const body: any = yield* Effect.promise(() => response.json())
  return {
    status: response.status,
    headers: response.headers,
    data: body.result?.data,
    code: body.error?.data?.error?.code as string | undefined
  }
})
