import { Console, Context, Effect, Layer } from "effect"

/** The lines of the log. */
export class Logged extends Context.Service<Logged, Array<string>>()("test/LoggedLines") {
  /** A log that is kept instead of shown. */
  static readonly layer = Layer.effectContext(
    Effect.sync(() => {
      const lines: Array<string> = []
      const console = new Proxy({} as Console.Console, { get: () => (line: unknown) => void lines.push(String(line)) })
      return Context.make(Logged, lines).pipe(Context.add(Console.Console, console))
    })
  )
}
