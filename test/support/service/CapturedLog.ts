import { inspect } from "node:util"
import { Console, Context, Effect, Layer } from "effect"

/** Console output of a test. Each argument of each console call is stored as text; objects are shown 20 levels deep. */
export class CapturedLog extends Context.Service<CapturedLog, ReadonlyArray<string>>()("test/CapturedLog") {
  /** Replaces the console, so that log lines are captured and not shown. */
  static readonly layer = Layer.effectContext(
    Effect.sync(() => {
      const lines: Array<string> = []
      const record = (...parts: ReadonlyArray<unknown>) => {
        for (const part of parts) lines.push(typeof part === "string" ? part : inspect(part, { depth: 20 }))
      }
      const console = new Proxy({} as Console.Console, { get: () => record })
      return Context.make(CapturedLog, lines).pipe(Context.add(Console.Console, console))
    })
  )
}
