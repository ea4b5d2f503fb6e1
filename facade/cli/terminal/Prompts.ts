import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { Context, Effect, Schema, type Scope } from "effect"

/** The input ended before every question was answered. */
class NoInput extends Schema.TaggedError<NoInput>()("NoInput", { message: Schema.String }) {}

/** Asks the person at the terminal. */
export interface Prompter {
  /** Shows the question on stderr and reads a line, which the terminal does not show. */
  readonly askHidden: (question: string) => Effect.Effect<string, NoInput>
}

const open: Effect.Effect<Prompter, never, Scope.Scope> = Effect.gen(function* () {
  const isTerminal = process.stdin.isTTY === true
  // Readline writes the typed characters to its output. This output discards them.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = yield* Effect.acquireRelease(
    Effect.sync(() => createInterface({ input: process.stdin, output, terminal: isTerminal })),
    (reader) => Effect.sync(() => reader.close())
  )
  // Readline catches Ctrl-C, so the process must send the signal to itself.
  reader.on("SIGINT", () => process.kill(process.pid, "SIGINT"))
  const lines = reader[Symbol.asyncIterator]()
  return {
    askHidden: Effect.fnUntraced(function* (question: string) {
      process.stderr.write(question)
      const line = yield* Effect.promise(() => lines.next())
      if (isTerminal) process.stderr.write("\n")
      return line.done === true ? yield* new NoInput({ message: "The input ended before an answer." }) : line.value
    })
  }
})

/** The terminal of this process. Tests provide another one. */
export const Prompts = Context.Reference<Effect.Effect<Prompter, never, Scope.Scope>>("saldo/facade/cli/Prompts", {
  defaultValue: () => open
})

/** Opens the terminal for questions. */
export const openPrompts = Effect.flatMap(Prompts, (opening) => opening)
