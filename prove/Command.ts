import { fileURLToPath } from "node:url"
import { Effect, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import manifest from "../package.json" with { type: "json" }
import type { Part, Plan } from "./Part.ts"

/** Where all of it is. */
export const root = fileURLToPath(new URL("..", import.meta.url))

/** The command as a person types it. */
export const commandOf = ({ args, script }: Part, plan: Plan): string =>
  [...(script === "test" ? ["npm", "test"] : ["npm", "run", script]), "--", ...args(plan)].join(" ")

/** What Node is to run when a script says so. */
const programs: Readonly<Record<string, ReadonlyArray<string>>> = {
  node: [],
  vitest: ["node_modules/vitest/vitest.mjs"]
}

/** The same for this Node. */
export const nodeArgsOf = ({ args, asJson, script }: Part, plan: Plan): ReadonlyArray<string> => {
  const [program = "", ...rest] = manifest.scripts[script].split(" ")
  return [...(programs[program] ?? []), ...rest, ...args(plan), asJson]
}

/** What a command printed, and how it ended: null by a signal. */
export interface Ended {
  readonly stdout: string
  readonly exitCode: number | null
}

/** Runs a program of this project to its end; what it says on stderr is told line by line. */
export const runNode = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  onLine: (line: string) => Effect.Effect<void>
) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const child = yield* spawner.spawn(ChildProcess.make(process.execPath, args, { cwd: root, stdin: "ignore" }))
  const [stdout] = yield* Effect.all(
    [
      child.stdout.pipe(Stream.decodeText(), Stream.mkString),
      child.stderr.pipe(Stream.decodeText(), Stream.splitLines, Stream.runForEach(onLine))
    ],
    { concurrency: "unbounded" }
  )
  const exitCode = yield* Effect.orElseSucceed(child.exitCode, () => null)
  return { stdout, exitCode } satisfies Ended
}, Effect.scoped)
