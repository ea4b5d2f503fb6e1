import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Context, Effect, flow, Layer, Predicate, Redacted } from "effect"
import type { Command } from "effect/cli"
import { TestConsole } from "effect/testing"
import { anyRoleReaderLayer } from "../../adapters/postgres/connection/CompanyReads.ts"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import { runCommandLine, saldo } from "../../facade/cli/CommandLine.ts"
import { freshDatabaseUrl } from "./Database.ts"
import { asLoginIn } from "./DatabaseLogins.ts"
import { eventually } from "./Eventually.ts"
import { lentPools } from "./LentPools.ts"
import { addOperator, operatorToken } from "./OperatorAccounts.ts"

/** Exit code and output of a command. */
export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

// biome-ignore lint/suspicious/noExplicitAny: printed JSON has no type; the assertions check it
type Printed = any

/** Runs `saldo` commands on a database of the test, as a user runs them in a terminal. */
export class CommandLine extends Context.Service<
  CommandLine,
  {
    readonly run: (...args: ReadonlyArray<string>) => Effect.Effect<Ran>
    /** Runs a command with --json. The command must succeed; returns its document. */
    readonly answer: (...args: ReadonlyArray<string>) => Effect.Effect<Printed>
    /** Runs a command with --json. The command must fail; returns its error. */
    readonly refusal: (...args: ReadonlyArray<string>) => Effect.Effect<Printed>
  }
>()("saldo/test/CommandLine") {
  /** Commands use an operator's login. The layer also provides an unrestricted connection to the same database. */
  static readonly layer = Layer.unwrap(
    Effect.map(freshDatabaseUrl, (url) =>
      Layer.mergeAll(
        Layer.succeed(CommandLine, commandLineOn(asLoginIn("saldo_operator", url))),
        Layer.provideMerge(anyRoleReaderLayer, Database.layer({ url: Redacted.make(url), connections_max: 4 })),
        lentPools
      )
    )
  )
}

/** An argument for commands of the tests: the operator who runs the command. */
export const by = (name: string): string => `@${name}`

/**
 * Removes the operator from the arguments. Creates an account with the role supervisor if the operator has none.
 *
 * @param known the operators that have an account.
 */
const operatorIn = Effect.fnUntraced(function* (url: string, known: Set<string>, args: ReadonlyArray<string>) {
  const name = args.find((each) => each.startsWith("@"))?.slice(1)
  if (name === undefined) return { environment: {}, args }
  if (!known.has(name)) yield* addOperator(url, name)
  known.add(name)
  return { environment: { OPERATOR_TOKEN: operatorToken(name) }, args: args.filter((each) => each !== by(name)) }
})

const printed = (lines: Effect.Effect<ReadonlyArray<unknown>>) => Effect.map(lines, (all) => all.join("\n"))

/** Runs an effect like a separate command, with its own environment variables and its own output. */
const asCommand = (environment: Readonly<Record<string, string>>) =>
  flow(
    Effect.provide([TestConsole.layer, NodeServices.layer]),
    // A command is a separate process in production, so it shares no layer with a server of the test.
    Effect.provideServiceEffect(Layer.CurrentMemoMap, Effect.sync(Layer.makeMemoMapUnsafe)),
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromEnv({ env: { OPS_PORT: "off", ...environment } })
    )
  )

/**
 * Starts `saldo serve` in this process, on a free port, and waits until it accepts calls. Closing the scope stops it. A
 * server in a separate process would take two more seconds of processor time.
 *
 * @returns the URL of the server, and the output that the server has printed so far.
 */
export const servingHere = (environment: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const running = yield* Effect.forkScoped(runCommandLine(["serve"]))
    const url = yield* eventually(
      Effect.gen(function* () {
        if (running.pollUnsafe() !== undefined)
          return yield* Effect.die(new Error(`the server ended: ${yield* printed(TestConsole.errorLines)}`))
        return /ready at (\S+)/.exec(yield* printed(TestConsole.logLines))?.[1]
      }),
      Predicate.isNotUndefined
    )
    return { url, stdout: yield* printed(TestConsole.logLines), stderr: yield* printed(TestConsole.errorLines) }
  }).pipe(asCommand({ PORT: "0", CONSOLE_PORT: "off", LOG_LEVEL: "error", LOG_FORMAT: "json", ...environment }))

/** Runs `saldo` on an existing database. The argument `by(name)` makes an operator run the command. */
export const commandLineOn = (
  url: string,
  environment: Readonly<Record<string, string>> = {}
): CommandLine["Service"] => {
  const known = new Set<string>()
  const runWith = (args: ReadonlyArray<string>, operator: Readonly<Record<string, string>>) =>
    Effect.gen(function* () {
      const code = yield* runCommandLine(args)
      return { code, stdout: yield* printed(TestConsole.logLines), stderr: yield* printed(TestConsole.errorLines) }
    }).pipe(asCommand({ DATABASE_URL: url, LOG_LEVEL: "none", ...environment, ...operator }))
  const runOn = (...args: ReadonlyArray<string>) =>
    Effect.flatMap(operatorIn(url, known, args), (given) => runWith(given.args, given.environment))
  const answer = (...args: ReadonlyArray<string>) =>
    Effect.flatMap(runOn(...args, "--json"), ({ code, stderr, stdout }) =>
      code === 0 ? Effect.sync(() => JSON.parse(stdout)) : Effect.die(new Error(stderr))
    )
  const refusal = (...args: ReadonlyArray<string>) =>
    Effect.flatMap(runOn(...args, "--json"), ({ code, stderr, stdout }) =>
      code !== 0 && stdout === ""
        ? Effect.sync(() => ({ exit: code, ...JSON.parse(stderr).error }))
        : Effect.die(new Error(stdout))
    )
  return { run: runOn, answer, refusal }
}

const namesIn = (group: Command.Command.Any, path: ReadonlyArray<string>): ReadonlyArray<string> =>
  group.subcommands
    .flatMap(({ commands }) => commands)
    .flatMap((command) =>
      command.subcommands.length === 0 ? [[...path, command.name].join(" ")] : namesIn(command, [...path, command.name])
    )

/** The names of all commands, such as "company create". */
export const commandNames = namesIn(saldo, [])

/** Flags of a command, read from its help. */
interface HelpFlags {
  readonly required: ReadonlyArray<string>
  readonly defaults: Readonly<Record<string, string>>
  /** Flags that take a value, and whose help mentions neither a default nor "(required)". */
  readonly untold: ReadonlyArray<string>
}

const flag = /^ {2}--(?<name>\S+)(?: (?<type>\S+))? {4,}(?<text>.*)$/

/** Reads the flags of a command from its help text. Flags that every command has are left out. */
export const flagsOf = (help: string): HelpFlags => {
  const section = /\nFLAGS\n(?<lines>[\s\S]*?)\n\n/.exec(help)?.groups?.["lines"] ?? ""
  const required: Array<string> = []
  const defaults: Record<string, string> = {}
  const untold: Array<string> = []
  for (const line of section.split("\n").filter((line) => line !== "")) {
    const { name = line, text = "", type } = flag.exec(line)?.groups ?? {}
    const fallback = /\(default: (?<fallback>[^)]*)\)/.exec(text)?.groups?.["fallback"]
    if (text.endsWith("(required)")) required.push(name)
    else if (fallback !== undefined) defaults[name] = fallback
    else if (type !== undefined || text === "") untold.push(name)
  }
  return { required, defaults, untold }
}
