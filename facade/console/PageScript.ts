import { execFile } from "node:child_process"
import { hash } from "node:crypto"
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises"
import { setPriority, tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

/** The script of the console's pages, bundled from facade/console/page. */

const root = fileURLToPath(new URL("../..", import.meta.url))

const resolved = (location: string) => relative(root, fileURLToPath(import.meta.resolve(location)))

const entry = resolved("./page/main.tsx")
const bundler = resolved("esbuild-wasm/bin/esbuild")

/** Files that determine how the bundle is made. A change in them makes a cached bundle invalid. */
const tools = [relative(root, fileURLToPath(import.meta.url)), resolved("esbuild-wasm/package.json")]

const bundlerArguments = [
  "--bundle",
  "--minify",
  "--format=esm",
  "--target=es2022",
  "--jsx=automatic",
  "--jsx-import-source=preact",
  "--log-level=warning"
]

/** Priority of the bundler process, lower than the default, so that sales get the processor first. */
const bundlerPriority = 5

/** A bundle on disk. It is valid as long as each of its input files has the same digest. */
interface Cached {
  /** Digests of the files, by their path from the root of the project. */
  readonly inputs: Readonly<Record<string, string>>
  readonly script: string
}

const digestsOf = async (paths: ReadonlyArray<string>): Promise<Cached["inputs"]> => {
  const digests = paths.map(async (path) => [path, hash("sha256", await readFile(join(root, path)))] as const)
  return Object.fromEntries(await Promise.all(digests))
}

/** The file that keeps the bundle. Removing the file is harmless. */
const bundleFile = join(root, "node_modules", ".cache", "saldo", "console.json")

const readCached = async (file: string): Promise<string | undefined> => {
  try {
    const { inputs, script } = JSON.parse(await readFile(file, "utf8")) as Cached
    const digests = await digestsOf(Object.keys(inputs))
    return Object.entries(inputs).every(([path, digest]) => digests[path] === digest) ? script : undefined
  } catch {
    // There is no bundle, or one of its inputs no longer exists.
    return undefined
  }
}

// The file is replaced as a whole, because several processes may write it.
const writeCached = async (file: string, cached: Cached): Promise<void> => {
  const written = `${file}.${process.pid}`
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(written, JSON.stringify(cached))
    await rename(written, file)
  } catch {
    // The installation is read-only, so each process makes its own bundle.
  }
}

// The bundler is WebAssembly and would block this process for two seconds, so it runs in a separate process.
const bundle = async (signal: AbortSignal): Promise<Cached> => {
  const directory = await mkdtemp(join(tmpdir(), "saldo-console-"))
  const output = join(directory, "console.js")
  const metafile = join(directory, "inputs.json")
  try {
    const args = [bundler, entry, ...bundlerArguments, `--outfile=${output}`, `--metafile=${metafile}`]
    const running = promisify(execFile)(process.execPath, args, { cwd: root, signal })
    if (running.child.pid !== undefined) setPriority(running.child.pid, bundlerPriority)
    await running
    const { inputs } = JSON.parse(await readFile(metafile, "utf8")) as { inputs: object }
    return {
      inputs: await digestsOf([...Object.keys(inputs), ...tools]),
      script: await readFile(output, "utf8")
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Returns the script from the file if its inputs have not changed. Otherwise bundles it and keeps it in the file. */
export const pageScript = async (signal: AbortSignal, file = bundleFile): Promise<string> => {
  const kept = await readCached(file)
  if (kept !== undefined) return kept
  const cached = await bundle(signal)
  await writeCached(file, cached)
  return cached.script
}
