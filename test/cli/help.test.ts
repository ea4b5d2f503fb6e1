import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../support/CommandLine.ts"
import { flagsOf } from "../support/Help.ts"

// A command -> the flags that it needs, and what holds without the others.
const taught: ReadonlyArray<
  readonly [command: string, required: ReadonlyArray<string>, defaults: Readonly<Record<string, string>>]
> = [
  ["serve", [], {}],
  ["migrate", [], {}],
  ["doctor", [], {}],
  ["company create", ["razon-social", "codigo", "ambiente"], { estado: "activa" }],
  [
    "company set",
    [],
    {
      estado: "unchanged",
      api: "unchanged",
      seguros: "unchanged",
      "limite-diario": "unchanged",
      "limite-semanal": "unchanged",
      "limite-mensual": "unchanged",
      "alerta-saldo-bajo": "unchanged"
    }
  ],
  ["company deposit", ["referencia"], {}],
  ["company list", [], {}],
  ["company show", [], {}],
  [
    "token issue",
    ["nombre"],
    { permisos: "all", ips: "any", expira: "never", "por-minuto": "that of RATE_LIMIT_PER_MINUTE" }
  ],
  ["token rotate", [], { solape: "24h" }],
  ["token suspend", [], {}],
  ["token activate", [], {}],
  ["token revoke", [], {}],
  ["token list", [], {}],
  ["catalog import", [], {}],
  ["catalog list", [], {}],
  ["catalog enable", [], {}],
  ["catalog disable", [], {}],
  ["transactions list", [], { empresa: "all companies", status: "any", orden: "edad", page: "1", "per-page": "50" }],
  ["transactions show", [], {}],
  [
    "transactions resolve",
    ["as", "motivo", "operador"],
    { autorizacion: "none", token: "none", desde: "none", hasta: "none" }
  ],
  ["transactions confirm", ["propuesta", "operador"], {}],
  ["sms list", [], { ultimos: "50" }],
  ["reconcile", [], {}],
  ["audit", [], {}]
]

// A command -> its usage, with all that it takes.
const usages: ReadonlyArray<readonly [command: string, usage: string]> = [
  ["company", "saldo company <subcommand> [--json]"],
  [
    "company create",
    "saldo company create --razon-social string --codigo string --ambiente choice [--estado choice] [--sin-api] [--seguros] [--json]"
  ],
  ["company deposit", "saldo company deposit --referencia string [--json] <company> <amount>"],
  ["catalog list", "saldo catalog list [--json] [<company>]"],
  ["token rotate", "saldo token rotate [--solape duration] [--json] <token>"]
]

layer(CommandLine.layer, { excludeTestServices: true })("the help of a command", (it) => {
  it.effect.each(taught)(
    "tells what %s needs, and what holds without its other flags",
    ([command, required, defaults]) =>
      Effect.gen(function* () {
        const { run } = yield* CommandLine
        const { stdout } = yield* run(...command.split(" "), "--help")
        assert.deepStrictEqual(flagsOf(stdout), { required, defaults, untold: [] })
      })
  )

  it.effect.each(usages)("and the error of %s have the same usage", ([command, usage]) =>
    Effect.gen(function* () {
      const { run } = yield* CommandLine
      const { stdout } = yield* run(...command.split(" "), "--help")
      assert.include(stdout, `USAGE\n  ${usage}\n`)
      const { stderr, stdout: silent } = yield* run(...command.split(" "), "--bogus")
      assert.strictEqual(silent, "")
      assert.strictEqual(
        stderr,
        `error: Unrecognized flag: --bogus\nUsage: ${usage}\n"saldo ${command} --help" tells more.`
      )
    })
  )

  it.effect("tells which arguments are required", () =>
    Effect.gen(function* () {
      const { run } = yield* CommandLine
      const { stdout } = yield* run("company", "deposit", "--help")
      assert.match(stdout, /\n {2}company integer .*\(required\)\n {2}amount string .*\(required\)\n/)
    })
  )
})
