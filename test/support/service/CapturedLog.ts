import { inspect } from "node:util"
import { Console, Context, Effect, Layer } from "effect"

/** What was logged, all that a terminal would show of it, in small letters. */
export class ConsoleText extends Context.Service<ConsoleText, ReadonlyArray<string>>()("test/Logged") {
  /** The console of whatever is built on it. */
  static readonly layer = Layer.effectContext(
    Effect.sync(() => {
      const lines: Array<string> = []
      const record = (...parts: ReadonlyArray<unknown>) => {
        for (const part of parts)
          lines.push((typeof part === "string" ? part : inspect(part, { depth: 20 })).toLowerCase())
      }
      const console = new Proxy({} as Console.Console, { get: () => record })
      return Context.make(ConsoleText, lines).pipe(Context.add(Console.Console, console))
    })
  )
}

/** The lines of the log. */
export class LogLines extends Context.Service<LogLines, Array<string>>()("test/LoggedLines") {
  /** A log that is kept instead of shown. */
  static readonly layer = Layer.effectContext(
    Effect.sync(() => {
      const lines: Array<string> = []
      const console = new Proxy({} as Console.Console, { get: () => (line: unknown) => void lines.push(String(line)) })
      return Context.make(LogLines, lines).pipe(Context.add(Console.Console, console))
    })
  )
}
