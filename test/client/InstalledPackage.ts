import { cpSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Context, Effect, Layer } from "effect"
import manifest from "../../facade/client/package.json" with { type: "json" }
import { temporaryDirectory } from "../support/FirstStart.ts"
import { root, runProgram } from "../support/RunProgram.ts"

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
      const project = yield* temporaryDirectory
      yield* runProgram("npm", ["run", "--silent", "client:pack", "--", "--silent"], root)
      writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }))
      const tarball = join(root, `facade/client/saldo-client-${manifest.version}.tgz`)
      // The package has no dependencies, so npm needs no registry.
      yield* runProgram("npm", ["install", "--offline", "--silent", tarball], project)
      cpSync(join(root, "test/client/program"), project, { recursive: true })
      return { tarball, project, folder: join(project, "node_modules/@saldo/client") }
    })
  )
}
