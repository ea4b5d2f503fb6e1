import { inspect } from "node:util"
import { Console, Context, Effect, Layer } from "effect"

/** What was logged, all that a terminal would show of it, in small letters. */
export class Logged extends Context.Service<Logged, ReadonlyArray<string>>()("test/Logged") {
  /** The console of whatever is built on it. */
  static readonly layer = Layer.effectContext(
    Effect.sync(() => {
      const lines: Array<string> = []
      const record = (...parts: ReadonlyArray<unknown>) => {
        for (const part of parts)
          lines.push((typeof part === "string" ? part : inspect(part, { depth: 20 })).toLowerCase())
      }
      const console = new Proxy({} as Console.Console, { get: () => record })
      return Context.make(Logged, lines).pipe(Context.add(Console.Console, console))
    })
  )
}
