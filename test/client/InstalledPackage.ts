import { execFile } from "node:child_process"
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Context, Effect, Layer } from "effect"
import manifest from "../../facade/client/package.json" with { type: "json" }

export const root = fileURLToPath(new URL("../../", import.meta.url))

/** Runs a program and returns what it printed. Fails with its whole output. */
export const run = (program: string, args: ReadonlyArray<string>, cwd: string) =>
  Effect.promise(() =>
    promisify(execFile)(program, args, { cwd }).then(
      ({ stdout }) => stdout.trim(),
      ({ stderr, stdout }: { readonly stderr: string; readonly stdout: string }) => {
        throw new Error(`${program} ${args.join(" ")} failed:\n${stdout}${stderr}`)
      }
    )
  )

/** A tool of node_modules, run by this Node. */
export const runTool = (path: string, args: ReadonlyArray<string>, cwd: string) =>
  run(process.execPath, [join(root, path), ...args], cwd)

/**
 * The package @saldo/client, built and packed by its command and installed from the tarball into an empty project
 * outside the repository.
 */
export class InstalledPackage extends Context.Service<
  InstalledPackage,
  {
    readonly tarball: string
    /** The project in which the package is installed. */
    readonly project: string
    /** The package in the project. */
    readonly folder: string
  }
>()("test/InstalledPackage") {
  static readonly layer = Layer.effect(
    InstalledPackage,
    Effect.gen(function* () {
      const project = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "saldo-client-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
      )
      yield* run("npm", ["run", "--silent", "client:pack", "--", "--silent"], root)
      writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }))
      const tarball = join(root, `facade/client/saldo-client-${manifest.version}.tgz`)
      // The package has no dependencies, so npm needs no registry.
      yield* run("npm", ["install", "--offline", "--silent", tarball], project)
      cpSync(join(root, "test/client/program"), project, { recursive: true })
      return { tarball, project, folder: join(project, "node_modules/@saldo/client") }
    })
  )
}
