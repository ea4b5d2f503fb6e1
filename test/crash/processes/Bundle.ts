import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { Effect } from "effect"
import { type Plugin, rolldown } from "rolldown"

/** Replaces `import.meta.url` by the URL of the source, because modules read files next to their sources. */
const sourceUrls: Plugin = {
  name: "source-urls",
  transform: {
    filter: { id: /^\//, code: "import.meta.url" },
    handler: (code, id) => code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
  }
}

const programs = ["serverMain", "suppliersMain", "moverMain"] as const

/** The bundled programs of a run, each with the path of its file. */
export type Programs = Readonly<Record<(typeof programs)[number], string>>

/** Packages that Node loads from node_modules: the calls of `require` in UMD modules cannot be bundled. */
const external = ["jsonc-parser"]

const cache = fileURLToPath(new URL("../../../node_modules/.cache/", import.meta.url))

/** A directory from which `import.meta.resolve` finds the packages of the repository. */
const directoryOfPrograms = Effect.acquireRelease(
  Effect.sync(() => {
    mkdirSync(cache, { recursive: true })
    return mkdtempSync(join(cache, "crash-"))
  }),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/**
 * Bundles the programs of a run. A run starts about fifty processes. The start of a bundle takes a third of the processor time
 * that the thousand modules of a server would take.
 */
export const bundlePrograms = Effect.gen(function* () {
  const directory = yield* directoryOfPrograms
  const input = Object.fromEntries(
    programs.map((name) => [name, fileURLToPath(new URL(`${name}.ts`, import.meta.url))])
  )
  yield* Effect.promise(async () => {
    const bundle = await rolldown({ input, external, platform: "node", plugins: [sourceUrls] })
    await bundle.write({ dir: directory, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name].mjs" })
    await bundle.close()
  })
  const pathOf = (name: keyof Programs): string => join(directory, `${name}.mjs`)
  return {
    serverMain: pathOf("serverMain"),
    suppliersMain: pathOf("suppliersMain"),
    moverMain: pathOf("moverMain")
  } satisfies Programs
})
