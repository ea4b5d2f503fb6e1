import { execFile } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Effect } from "effect"

/** The root of the repository. */
export const root = fileURLToPath(new URL("../../", import.meta.url))

/** Runs a program and returns what it printed. Fails with its whole output. */
export const runProgram = (program: string, args: ReadonlyArray<string>, cwd: string) =>
  Effect.promise(() =>
    promisify(execFile)(program, args, { cwd }).then(
      ({ stdout }) => stdout.trim(),
      ({ stderr, stdout }: { readonly stderr: string; readonly stdout: string }) => {
        throw new Error(`${program} ${args.join(" ")} failed:\n${stdout}${stderr}`)
      }
    )
  )

/** Runs a script of the repository or of its packages with this Node. */
export const runScript = (path: string, args: ReadonlyArray<string>, cwd: string) =>
  runProgram(process.execPath, [join(root, path), ...args], cwd)
