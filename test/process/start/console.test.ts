import { createServer } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import { listenLocally } from "../../fakes/LocalServer.ts"
import { commandLineOn } from "../../support/CommandLine.ts"
import { freshDatabaseUrl } from "../../support/Database.ts"
import { asLoginIn } from "../../support/DatabaseLogins.ts"
import { eventually } from "../../support/Eventually.ts"
import { temporaryDirectory, timeout_ms } from "../../support/FirstStart.ts"
import { type SaldoProcess, saldo, serving, stopped } from "../../support/SaldoProcess.ts"

/** Waits for the one-time link that a start prints. */
const printedLink = ({ process, stderr, stdout }: SaldoProcess) =>
  eventually(
    Effect.sync(() => {
      if (process.exitCode !== null) throw new Error(stderr())
      return /\S+\/acceso#\S+/.exec(stdout())?.[0]
    }),
    Predicate.isNotUndefined
  )

/** Opens a one-time link, as the console's page does. Returns the status and the session cookie. */
const open = Effect.fnUntraced(function* (link: string) {
  const { hash, origin } = new URL(link)
  const response = yield* Effect.promise(() =>
    fetch(`${origin}/api/sesion.abrirEnlace`, {
      method: "POST",
      headers: { "content-type": "application/json", origin },
      body: JSON.stringify({ enlace: hash.slice(1) })
    })
  )
  return { status: response.status, cookie: response.headers.get("set-cookie")?.replace(/;.*/, "") ?? "", origin }
})

const sessionIn = Effect.fnUntraced(function* (origin: string, cookie: string) {
  const response = yield* Effect.promise(() => fetch(`${origin}/api/sesion.actual`, { headers: { cookie } }))
  // biome-ignore lint/suspicious/noExplicitAny: the assertions check the body
  const body: any = yield* Effect.promise(() => response.json())
  return body.result.data
})

const operatorLogin = Effect.map(freshDatabaseUrl, (url) => asLoginIn("saldo_operator", url))

/** Runs `saldo console` in the test's process, with this CONSOLE_PORT. */
const consoleAt = (CONSOLE_PORT: string) =>
  Effect.flatMap(operatorLogin, (url) => commandLineOn(url, { CONSOLE_PORT }).run("console"))

describe("the operator console", { timeout: timeout_ms }, () => {
  it.live("runs together with a server on the embedded Postgres, and its printed link works once", () =>
    Effect.gen(function* () {
      const server = yield* serving({ DATA_DIR: yield* temporaryDirectory, CONSOLE_PORT: "0" })
      const link = yield* printedLink(server)
      const { cookie, origin, status } = yield* open(link)
      assert.strictEqual(status, 200)
      const session = yield* sessionIn(origin, cookie)
      assert.deepStrictEqual([session.nombre, session.rol], ["local", "admin"])
      assert.strictEqual((yield* open(link)).status, 404)
      assert.strictEqual(yield* stopped(server, "SIGTERM"), 0)
    })
  )

  it.live("runs as a process with the database login of an operator", () =>
    Effect.gen(function* () {
      const running = yield* saldo(["console"], { DATABASE_URL: yield* operatorLogin, CONSOLE_PORT: "0" })
      const { cookie, origin } = yield* open(yield* printedLink(running))
      assert.strictEqual((yield* sessionIn(origin, cookie)).rol, "admin")
      assert.strictEqual(yield* stopped(running, "SIGTERM"), 0)
    })
  )

  it.live("does not start on a taken port, and names the variable", () =>
    Effect.gen(function* () {
      const port = String(yield* Effect.suspend(() => listenLocally(createServer())))
      const { code, stderr } = yield* consoleAt(port)
      assert.strictEqual(code, 1)
      assert.match(stderr, /set CONSOLE_PORT to another port/)
    })
  )

  it.live("does not start when it is turned off", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* consoleAt("off")
      assert.strictEqual(code, 1)
      assert.match(stderr, /CONSOLE_PORT is off/)
    })
  )
})
