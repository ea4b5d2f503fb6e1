import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Secret, TOTP } from "otpauth"
import { Prompts } from "../../../facade/cli/terminal/Prompts.ts"
import { by, CommandLine, commandLineOn } from "../../support/CommandLine.ts"
import { testDatabaseUrl } from "../../support/Database.ts"
import { asLoginIn } from "../../support/DatabaseLogins.ts"
import { operatorToken } from "../../support/OperatorAccounts.ts"
import { createCompany } from "../support/NewCompany.ts"

const password = "correct horse battery"

const codeOf = (secret: string, later_ms = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + later_ms })

/** A terminal on which the given answers are typed. An answer may depend on the question. */
const typing = (...answers: ReadonlyArray<string | ((question: string) => string)>) => {
  const left = [...answers]
  return Effect.provideService(
    Prompts,
    Effect.succeed({
      askHidden: (question) =>
        Effect.sync(() => {
          const answer = left.shift() ?? ""
          return typeof answer === "string" ? answer : answer(question)
        })
    })
  )
}

/** A system login with its own configuration directory. */
const person = Effect.gen(function* () {
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "saldo-operator-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const url = asLoginIn("saldo_operator", yield* testDatabaseUrl)
  return { ...commandLineOn(url, { XDG_CONFIG_HOME: home }), file: join(home, "saldo", "sessions.json") }
})

/** Accepts an invitation on the command line. Returns the secret of the authenticator app. */
const accepted = Effect.fnUntraced(function* (shell: CommandLine["Service"], invitation: string) {
  let secret = ""
  const document = yield* shell.answer("operator", "accept").pipe(
    typing(`https://consola.example.com/invitacion#${invitation}`, password, (question) => {
      secret = /add the key (\w+) by hand/.exec(question)?.[1] ?? ""
      return codeOf(secret)
    })
  )
  return { secret, document }
})

const audited = Effect.fnUntraced(function* (action: string) {
  const sql = yield* PgClient.PgClient
  return yield* sql<{ actor: string; via: string }>`
    select actor, via from directory.audit_event where action = ${action} order by id desc limit 1`
})

layer(CommandLine.layer, { excludeTestServices: true })("operators on the command line", (it) => {
  it.effect(
    "sign in once an admin has accepted an invitation, and until then commands without a session act as admin",
    () =>
      Effect.gen(function* () {
        const [ana, beto] = [yield* person, yield* person]
        const set = (shell: CommandLine["Service"], state: string) =>
          shell.run("company", "set", company, "--estado", state)
        const { empresa_id } = yield* createCompany("INICIO")
        const company = `${empresa_id}`
        const admin = yield* ana.answer("operator", "invite", "Ana", "--rol", "admin")
        const { invitacion } = yield* ana.answer("operator", "invite", "Beto", "--rol", "supervisor")
        assert.strictEqual((yield* set(beto, "vip")).code, 0)
        assert.deepStrictEqual(yield* audited("company_changed"), [{ actor: "local", via: "cli" }])

        const { document } = yield* accepted(ana, admin.invitacion)
        assert.deepStrictEqual(document, { nombre: "Ana", rol: "admin" })
        assert.strictEqual(statSync(ana.file).mode & 0o777, 0o600)
        assert.strictEqual((yield* set(ana, "activa")).code, 0, "accepting signs in")
        assert.deepStrictEqual(yield* audited("company_changed"), [{ actor: "Ana", via: "cli" }])

        // Without a session, commands may only read.
        const refused = yield* beto.refusal("company", "set", company, "--estado", "vip")
        assert.deepStrictEqual([refused.exit, refused.code], [1, "NOT_ALLOWED"])
        assert.match(refused.message, /saldo login/)
        assert.strictEqual((yield* beto.run("company", "show", company)).code, 0)

        const { secret } = yield* accepted(beto, invitacion)
        const limit = yield* beto.run("company", "set", company, "--limite-diario", "7")
        assert.strictEqual(limit.code, 0)
        const { details } = yield* beto.refusal("company", "set", company, "--estado", "vip")
        assert.deepStrictEqual(details, { accion: "company", rol_necesario: "admin", rol: "supervisor" })

        assert.deepStrictEqual(yield* beto.answer("logout"), { con_sesion: true })
        assert.deepStrictEqual(yield* beto.answer("logout"), { con_sesion: false })
        const wrong = yield* beto.refusal("login", "Beto").pipe(typing("another password", codeOf(secret, 30_000)))
        assert.strictEqual(wrong.code, "SIGN_IN_REFUSED")
        const login = yield* beto.answer("login", "beto").pipe(typing(password, codeOf(secret, 30_000)))
        assert.deepStrictEqual(login, { nombre: "Beto", rol: "supervisor" })
        assert.strictEqual((yield* beto.run("company", "set", company, "--limite-diario", "8")).code, 0)

        yield* ana.answer("operator", "suspend", "Beto")
        assert.strictEqual((yield* beto.refusal("company", "set", company, "--limite-diario", "9")).code, "NOT_ALLOWED")
        const { items } = yield* beto.answer("operator", "list")
        assert.deepStrictEqual(
          items.map(({ estado, nombre, rol }: Record<string, string>) => [nombre, rol, estado]),
          [
            ["Ana", "admin", "activo"],
            ["Beto", "supervisor", "suspendido"]
          ]
        )
      }).pipe(Effect.scoped)
  )

  it.effect("are refused with a token that is no longer valid, and with a text that is not a token", () =>
    Effect.gen(function* () {
      const url = asLoginIn("saldo_operator", yield* testDatabaseUrl)
      const gone = commandLineOn(url, { OPERATOR_TOKEN: operatorToken("Nadie") })
      assert.strictEqual((yield* gone.refusal("company", "list")).code, "SIGNED_OUT")
      const wrong = yield* commandLineOn(url, { OPERATOR_TOKEN: "secreto" }).refusal("company", "list")
      assert.match(wrong.message, /OPERATOR_TOKEN is a value that is not shown/)
    })
  )

  it.effect("cannot be invited with a name that looks like another name", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      for (const name of ["An\u0430", "local", "ana@example.com"]) {
        const { exit, message } = yield* refusal("operator", "invite", name, "--rol", "lector")
        assert.strictEqual(exit, 2, name)
        assert.match(message, /Latin letters/)
      }
    })
  )
})

layer(CommandLine.layer, { excludeTestServices: true })("the audit log", (it) => {
  it.effect("is shown newest first, in pages, and by each filter", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      const { empresa_id } = yield* createCompany("BITACORA")
      yield* answer("company", "set", `${empresa_id}`, "--limite-diario", "7", by("turno-1"))
      yield* answer("company", "set", `${empresa_id}`, "--limite-diario", "8", by("turno-2"))
      const actions = (...flags: ReadonlyArray<string>) =>
        Effect.map(answer("log", ...flags), ({ items }) =>
          items.map(({ accion, operador }: Record<string, string>) => `${accion} ${operador}`)
        )
      const all = ["company_changed turno-2", "company_changed turno-1", "company_created local"]
      assert.deepStrictEqual(yield* actions(), all)
      assert.deepStrictEqual(yield* actions("--operador", "TURNO-1"), all.slice(1, 2))
      assert.deepStrictEqual(yield* actions("--accion", "company_created"), all.slice(2))
      assert.deepStrictEqual(yield* actions("--empresa", `${empresa_id}`), all)
      assert.deepStrictEqual(yield* actions("--empresa", `${empresa_id + 1}`), [])
      assert.deepStrictEqual(yield* actions("--transaccion", "4711"), [])
      assert.deepStrictEqual(yield* actions("--origen", "cli"), all)
      assert.deepStrictEqual(yield* actions("--origen", "console"), [])
      assert.deepStrictEqual(yield* actions("--ip", "203.0.113.7"), [])
      assert.deepStrictEqual(yield* actions("--desde", "2020-01-01", "--hasta", "2020-01-02"), [])
      assert.deepStrictEqual(yield* actions("--desde", "2020-01-01"), all)
      const page = yield* answer("log", "--per-page", "2")
      assert.lengthOf(page.items, 2)
      assert.deepStrictEqual(yield* actions("--antes-de", `${page.siguiente}`), all.slice(2))
      assert.deepStrictEqual(page.items[0].detalles, { before: { daily: 700 }, after: { daily: 800 } })
      const { stdout } = yield* run("log", "--per-page", "1")
      assert.match(stdout, /company_changed {2}turno-2 .* before: daily 700, after: daily 800/)
      assert.include(stdout, `--antes-de ${page.items[0].evento_id}`)
    })
  )
})
