import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import manifest from "../../../package.json" with { type: "json" }
import { CommandLine, commandNames, flagsOf } from "../../support/CommandLine.ts"
import { taught } from "../support/CommandFlags.ts"

// Command -> its usage line.
const usages: ReadonlyArray<readonly [command: string, usage: string]> = [
  ["company", "saldo company <subcommand> [--json]"],
  [
    "company create",
    "saldo company create --razon-social string [--rnc digits] --codigo string --ambiente choice [--estado choice] [--sin-api] [--seguros] [--cell string] [--json]"
  ],
  ["company deposit", "saldo company deposit --referencia string [--repetida] [--json] <company> <amount>"],
  ["catalog list", "saldo catalog list [--json] [<company>]"],
  ["token rotate", "saldo token rotate [--solape duration] [--json] <token>"]
]

layer(CommandLine.layer, { excludeTestServices: true })("the help of a command", (it) => {
  it.effect("is tested here for every command", () =>
    Effect.sync(() =>
      assert.sameMembers(
        taught.map(([command]) => command),
        [...commandNames]
      )
    )
  )

  it.effect.each(taught)(
    "shows the required flags of %s and the defaults of the others",
    ([command, required, defaults]) =>
      Effect.gen(function* () {
        const { run } = yield* CommandLine
        const { stdout } = yield* run(...command.split(" "), "--help")
        assert.deepStrictEqual(flagsOf(stdout), { required, defaults, untold: [] })
      })
  )

  it.effect.each(usages)("shows the same usage of %s as its error does", ([command, usage]) =>
    Effect.gen(function* () {
      const { run } = yield* CommandLine
      const { stdout } = yield* run(...command.split(" "), "--help")
      assert.include(stdout, `USAGE\n  ${usage}\n`)
      const { stderr, stdout: silent } = yield* run(...command.split(" "), "--bogus")
      assert.strictEqual(silent, "")
      assert.strictEqual(
        stderr,
        `error: Unrecognized flag: --bogus\nUsage: ${usage}\n"saldo ${command} --help" shows all options.`
      )
    })
  )

  it.effect("marks required arguments", () =>
    Effect.gen(function* () {
      const { run } = yield* CommandLine
      const { stdout } = yield* run("company", "deposit", "--help")
      assert.match(stdout, /\n {2}company integer .*\(required\)\n {2}amount string .*\(required\)\n/)
    })
  )
})

layer(CommandLine.layer, { excludeTestServices: true })("the command line", (it) => {
  it.effect.each(commandNames)("has a description and an example of %s", (command) =>
    Effect.gen(function* () {
      const { run } = yield* CommandLine
      const { code, stderr, stdout } = yield* run(...command.split(" "), "--help")
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.match(stdout, /DESCRIPTION\n {2}\S/)
      assert.include(stdout, "--json")
      assert.match(stdout, new RegExp(`EXAMPLES\\n  # [^]*\\n  [^\\n]*saldo ${command}`))
    })
  )

  it.effect("lists the commands when called without arguments", () =>
    Effect.gen(function* () {
      const { run } = yield* CommandLine
      const { code, stdout } = yield* run()
      assert.strictEqual(code, 0)
      for (const command of commandNames) assert.include(stdout, `  ${command.split(" ")[0]} `)
    })
  )

  it.effect("prints its version", () =>
    Effect.gen(function* () {
      const { run } = yield* CommandLine
      const { code, stdout } = yield* run("--version")
      assert.strictEqual(code, 0)
      assert.include(stdout, manifest.version)
    })
  )

  // Wrong command line -> what its error names.
  const wrong: ReadonlyArray<readonly [line: string, named: string]> = [
    ["compny list", "company"],
    ["company", ""],
    ["company list --every", "--every"],
    ["company list extra", "extra"],
    ["company show", "company"],
    ["company show 0", "above zero"],
    ["company show 1.5", "company"],
    ["company show seven", "company"],
    ["company create --codigo A --ambiente development", "--razon-social"],
    ["company create --razon-social A --codigo A --ambiente test", "--ambiente"],
    ["company create --razon-social A\u0007 --codigo A --ambiente development", "--razon-social"],
    ["company create --razon-social A\u202e --codigo A --ambiente development", "--razon-social"],
    ["company set 1", "Nothing to change"],
    ["company set 1 --api perhaps", "--api"],
    ["company set 1 --limite-diario -1", "--limite-diario"],
    ["company set 1 --limite-diario 0.000", "--limite-diario"],
    ["company set 1 --limite-diario 1.234", "--limite-diario"],
    ["company deposit 1 10", "--referencia"],
    ["company deposit 1 0 --referencia x", "amount"],
    ["company deposit 1 -5 --referencia x", "amount"],
    ["company deposit 1 1e3 --referencia x", "amount"],
    ["company deposit 1 1,000 --referencia x", "amount"],
    ["company deposit 1 10.001 --referencia x", "amount"],
    ["token issue 1 --nombre x --permisos balance.read,balance.write", "--permisos"],
    ["token issue 1 --nombre x --ips 10.0.0.0/33", "--ips"],
    ["token issue 1 --nombre x --expira 2027-01-01", "--expira"],
    ["token issue 1 --nombre x --expira 2027-13-01T00:00:00Z", "--expira"],
    ["token issue 1 --nombre x --expira 2020-01-01T00:00:00-04:00", "--expira is in the past"],
    ["token issue 1 --nombre x --por-minuto 0", "--por-minuto"],
    ["company deposit 1 99999999999999.99 --referencia x", "from 0.01 to 9999999999999.99"],
    ["company show abc", "Expected: a whole number\n"],
    ["transactions show 1.5", "Expected: a whole number above zero, or an xid"],
    ["transactions list --page x", "Expected: a whole number\n"],
    ["catalog import /no/such/file.json", '"/no/such/file.json". File does not exist'],
    ["transactions list --status DONE", "--status"],
    ["transactions list --per-page 201", "--per-page"],
    ["transactions list --status FAILED --pendientes", "--pendientes"],
    ["sms list --ultimos 0", "--ultimos"],
    ["webhook show", "webhook"],
    ["webhook show 0", "above zero"],
    ["webhook list x", "Expected: a whole number\n"],
    ["webhook disable 1.5", "Expected: a whole number\n"],
    ["close 2026-02-30", "a day such as"],
    ["log --accion company_chnaged", 'Expected: "case_closed" | '],
    ["webhook replay 1", "--desde"],
    ["webhook replay 1 --desde 2027-01-31", "an ISO 8601 instant with an offset"],
    ["webhook replay 1 --desde 2027-01-31T08:00:00", "an ISO 8601 instant with an offset"],
    ["webhook replay 1 --desde 2027-02-30T08:00:00Z", "an ISO 8601 instant with an offset"],
    ["webhook replay 1 --desde 2027-01-31T08:00:00Z --hasta 2027-01-31T07:59:59Z", "--hasta is before --desde"],
    ["sms list --ultimos 1001", "--ultimos"]
  ]

  it.effect.each(wrong)("rejects %s", ([line, named]) =>
    Effect.gen(function* () {
      const { run } = yield* CommandLine
      const { code, stderr } = yield* run(...line.split(" "))
      assert.strictEqual(code, 2)
      assert.include(stderr, named)
    })
  )

  it.effect.each(["company", "token", "catalog", "transactions", "sms", "webhook"])(
    "lists the subcommands of %s if none is given, as text and as JSON",
    (group) =>
      Effect.gen(function* () {
        const { refusal, run } = yield* CommandLine
        const { code, exit, message } = yield* refusal(group)
        assert.deepStrictEqual([exit, code], [2, "WRONG_USAGE"])
        const missing = commandNames.flatMap((command) =>
          command.startsWith(`${group} `) ? [command.split(" ")[1]] : []
        )
        assert.match(message, new RegExp(`^A command is missing: .*${missing.join(".*")}`))
        const { code: exited, stdout } = yield* run(group)
        assert.deepStrictEqual([exited, stdout.includes("SUBCOMMANDS")], [2, true])
      })
  )

  it.effect("lists the commands to choose from as JSON when called with --json alone", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { code, exit, message } = yield* refusal()
      assert.deepStrictEqual([exit, code], [2, "WRONG_USAGE"])
      assert.match(message, /^A command is missing: serve, console, .*audit.*\n/)
    })
  )

  it.effect.each(["--version", "--help", "company --help"])("prints %s as text even with --json", (line) =>
    Effect.gen(function* () {
      const { run } = yield* CommandLine
      assert.deepStrictEqual(yield* run(...line.split(" "), "--json"), yield* run(...line.split(" ")))
    })
  )

  // `--json=false` means text.
  it.effect.each(["--json", "--json=true", "--json=yes", "--json=false"])(
    "decides between JSON and text by the flag %s",
    (flag) =>
      Effect.gen(function* () {
        const { run } = yield* CommandLine
        const { stdout } = yield* run("company", "list", flag)
        assert.strictEqual(stdout.startsWith("{"), flag !== "--json=false")
      })
  )

  it.effect("reports a wrong command line as JSON", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { code, exit, message } = yield* refusal("company", "deposit", "1", "10")
      assert.deepStrictEqual([exit, code], [2, "WRONG_USAGE"])
      assert.include(message, "saldo company deposit --help")
    })
  )
})
