import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { may, Role } from "../../core/domain/Operator.ts"
import { ConsoleAddress } from "../../facade/console/ConsoleServer.ts"
import { exports, exportsPath } from "../../facade/console/Exports.ts"
import { callConsole, everyProcedure, signedIn, testConsole } from "./TestConsole.ts"

const changes = everyProcedure.filter(({ procedure }) => procedure.kind === "mutation")
const guarded = everyProcedure.filter(({ procedure }) => procedure.gate !== "public")

/** The codes with which the console refuses a call before its handler runs. */
const refusals = ["SIN_SESION", "SIN_PERMISO", "ORIGEN_AJENO", "FICHA_INVALIDA", "CONFIRME_CLAVE"]

describe("the procedures of the console", () => {
  layer(testConsole(), { excludeTestServices: true })((it) => {
    it.effect.each(guarded)("$name is refused without a session", ({ name }) =>
      Effect.gen(function* () {
        const { code, status } = yield* callConsole(name)
        assert.deepStrictEqual([status, code], [401, "SIN_SESION"])
      })
    )

    it.effect.each(everyProcedure.flatMap((each) => Role.literals.map((role) => ({ ...each, role }))))(
      "$name is allowed for $role if and only if the role may take its action",
      ({ name, procedure: { gate }, role }) =>
        Effect.gen(function* () {
          const { code } = yield* callConsole(name, { browser: yield* signedIn(role) })
          if (gate === "public" || gate === "session" || may(role, gate)) assert.notInclude(refusals, code ?? "")
          else assert.strictEqual(code, "SIN_PERMISO")
        })
    )

    it.effect.each(
      changes.flatMap(({ name }) =>
        ["https://example.com", "http://localhost", "null", undefined].map((origin) => ({ name, origin }))
      )
    )("$name is refused with the Origin $origin", ({ name, origin }) =>
      Effect.gen(function* () {
        const { code, status } = yield* callConsole(name, { browser: yield* signedIn("admin"), headers: { origin } })
        assert.deepStrictEqual([status, code], [403, "ORIGEN_AJENO"])
      })
    )

    it.effect.each(
      changes
        .filter(({ procedure }) => procedure.gate !== "public")
        .flatMap(({ name }) => ["none", "empty", "another session's"].map((token) => ({ name, token })))
    )("$name is refused with this CSRF token: $token", ({ name, token }) =>
      Effect.gen(function* () {
        const browser = yield* signedIn("admin")
        const other = (yield* signedIn("admin")).csrf
        const headers = { "x-saldo-ficha": token === "none" ? undefined : token === "empty" ? "" : other }
        const { code, status } = yield* callConsole(name, { browser, headers })
        assert.deepStrictEqual([status, code], [403, "FICHA_INVALIDA"])
      })
    )
  })
})

describe("a body of the console", () => {
  layer(testConsole(), { excludeTestServices: true })((it) => {
    it.effect("is refused above 64 KiB, except for files: a catalogue may have 2 MiB", () =>
      Effect.gen(function* () {
        const browser = yield* signedIn("admin")
        const long = "x".repeat(65_000)
        const company = { razon_social: long, codigo_empresa: long, ambiente: "development" }
        const refused = yield* callConsole("empresas.crear", { browser, input: company })
        assert.deepStrictEqual([refused.status, refused.details], [422, { body: "demasiado_grande" }])
        const file = (length: number) => ({ archivo: `[${" ".repeat(length)}]`, formato: "json", probar: true })
        const read = yield* callConsole("catalogo.importar", { browser, input: file(1_000_000) })
        assert.deepStrictEqual([read.status, read.data.importado], [200, false])
        const tooLarge = yield* callConsole("catalogo.importar", { browser, input: file(2_200_000) })
        assert.deepStrictEqual([tooLarge.status, tooLarge.details], [422, { body: "demasiado_grande" }])
      })
    )

    it.effect.each([
      { name: "a duplicate field, which two parsers may read differently", body: '{"empresa_id": 1, "empresa_id": 2}' },
      { name: "JSON that is not an object", body: "[]" },
      { name: "broken JSON", body: "{" }
    ])("is refused with $name", ({ body }) =>
      Effect.gen(function* () {
        const { status } = yield* callConsole("empresas.cambiar", { browser: yield* signedIn("admin"), body })
        assert.strictEqual(status, 422)
      })
    )
  })
})

describe("the CSV files of the console", () => {
  layer(testConsole(), { excludeTestServices: true })((it) => {
    it.effect.each(Object.keys(exports))("%s is refused without a session", (name) =>
      Effect.gen(function* () {
        const { url } = yield* ConsoleAddress
        const { status } = yield* Effect.promise(() => fetch(`${url}${exportsPath}/${name}`))
        assert.strictEqual(status, 401)
      })
    )

    it.effect.each(
      Object.entries(exports).flatMap(([name, { gate }]) => Role.literals.map((role) => ({ name, gate, role })))
    )("$name is allowed for $role if and only if the role may take its action", ({ gate, name, role }) =>
      Effect.gen(function* () {
        const { url } = yield* ConsoleAddress
        const { cookie } = yield* signedIn(role)
        const { status } = yield* Effect.promise(() => fetch(`${url}${exportsPath}/${name}`, { headers: { cookie } }))
        // The request lacks required fields, so an allowed request gets 422.
        assert.strictEqual(status === 403, !may(role, gate))
        assert.notStrictEqual(status, 500)
      })
    )
  })
})
