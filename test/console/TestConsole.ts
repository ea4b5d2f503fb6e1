import { ConfigProvider, Context, DateTime, Effect, Layer, Redacted } from "effect"
import { ScryptCost } from "../../adapters/crypto/PasswordHashScrypt.ts"
import { type Actor, OperatorName, type Role } from "../../core/domain/Operator.ts"
import { sha256Hex } from "../../core/domain/Sha256.ts"
import { Operators } from "../../core/ports/Operators.ts"
import { beginSession } from "../../core/workflows/SignIn.ts"
import { baseLayer } from "../../facade/AppLayer.ts"
import { consoleOn as consoleOnDatabase } from "../../facade/ConsoleLayer.ts"
import { procedures } from "../../facade/console/ConsoleRouter.ts"
import { ConsoleAddress } from "../../facade/console/ConsoleServer.ts"
import { csrfHeader, proceduresPath } from "../../facade/console/Paths.ts"
import { DatabaseServer } from "../../facade/settings/DatabaseServer.ts"
import { Settings } from "../../facade/settings/Settings.ts"
import { freshDatabaseUrl } from "../support/Database.ts"
import { asLoginIn } from "../support/DatabaseLogins.ts"
import { ManualClock } from "../support/InProcessService.ts"

const consoleOn = (url: string, environment: Readonly<Record<string, string>>) =>
  Layer.unwrap(
    Settings.use(({ console }) =>
      console === null ? Effect.die("CONSOLE_PORT is off") : Effect.succeed(consoleOnDatabase(console))
    )
  ).pipe(
    Layer.provideMerge(DatabaseServer.layer),
    Layer.provideMerge(baseLayer),
    // Passwords are not the subject of these tests, and a hash at the cost of production takes 0.2 s of a core.
    Layer.provide(Layer.succeed(ScryptCost, { N: 2 ** 4, r: 8, p: 1 })),
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

/** Another console on the same database, as in another process. Returns a function that makes effects use it. */
export const anotherConsole = Effect.gen(function* () {
  const { url } = yield* DatabaseServer
  const login = asLoginIn("saldo_operator", Redacted.value(url))
  const context = yield* Layer.build(Layer.fresh(consoleOn(login, {})))
  return Effect.provideContext(context)
})

/** A console on the database of a test server. `on` makes effects use the console. */
export class ConsoleBeside extends Context.Service<
  ConsoleBeside,
  { readonly on: Effect.Success<typeof anotherConsole> }
>()("test/ConsoleBeside") {
  static readonly layer = Layer.effect(
    ConsoleBeside,
    Effect.map(anotherConsole, (on) => ({ on }))
  )
}

/** The names of all procedures with their records. */
export const everyProcedure = Object.entries(procedures).flatMap(([subject, named]) =>
  Object.entries(named).map(([name, procedure]) => ({ name: `${subject}.${name}`, procedure }))
)

/** The credentials of a signed-in browser. */
export interface Browser {
  readonly name: string
  readonly cookie: string
  readonly csrf: string
}

let accounts = 0

/** A browser in which a new operator with this role has signed in. */
export const signedIn = Effect.fnUntraced(function* (role: Role) {
  const operators = yield* Operators
  accounts += 1
  const name = OperatorName.make(`${role} ${accounts}`)
  const id = yield* operators.add({ name, role, email: null }, yield* DateTime.now)
  yield* operators.setCredentials(id, { passwordHash: "none", totpSecret: new Uint8Array(1) })
  const actor: Actor = { id, name, role, via: "console", address: "127.0.0.1" }
  const token = Redacted.value((yield* beginSession(actor, "console", "password")).token)
  const csrf = yield* sha256Hex(`csrf ${token}`)
  return { name, cookie: `saldo=${token}`, csrf } satisfies Browser
})

interface Sent {
  readonly input?: unknown
  readonly browser?: Browser | undefined
  /** A raw body that replaces the input, for example a body that is not JSON. */
  readonly body?: string
  /** Headers in addition to those that a page of the console sends. Undefined removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>
}

/** Calls a procedure as a page of the console does. */
export const callConsole = Effect.fnUntraced(function* (
  name: string,
  { body, browser, headers = {}, input = {} }: Sent = {}
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
      ...(isChange && { body: body ?? JSON.stringify(input) })
    })
  )
  // biome-ignore lint/suspicious/noExplicitAny: the assertions check the body
  const answer: any = yield* Effect.promise(() => response.json())
  return {
    status: response.status,
    headers: response.headers,
    data: answer.result?.data,
    code: answer.error?.data?.error?.code as string | undefined,
    details: answer.error?.data?.error?.details
  }
})
