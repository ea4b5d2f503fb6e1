import { hash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { Context, Effect, Semaphore } from "effect"
import { pageScript } from "./PageScript.ts"

/** A file that the console's page loads. */
export interface Asset {
  /** The path. It contains a hash of the content, so browsers may cache the file for ever. */
  readonly path: string
  readonly contentType: string
  readonly bytes: Uint8Array
  readonly compressed: Uint8Array
}

const fileAt = (location: string) => fileURLToPath(import.meta.resolve(location))

const script = Effect.promise(pageScript)

const style = Effect.promise(() =>
  Promise.all([fileAt("uplot/dist/uPlot.min.css"), fileAt("./page/console.css")].map((file) => readFile(file)))
)

const assetOf = Effect.fnUntraced(function* (extension: "css" | "js", contentType: string, bytes: Uint8Array) {
  const version = hash("sha256", bytes, "hex").slice(0, 16)
  const asset: Asset = {
    path: `/archivos/consola.${version}.${extension}`,
    contentType,
    bytes,
    compressed: yield* Effect.promise(() => promisify(gzip)(bytes))
  }
  return asset
})

const make = Effect.gen(function* () {
  const [code, styles] = yield* Effect.all([script, style], { concurrency: "unbounded" })
  return {
    script: yield* assetOf("js", "text/javascript; charset=utf-8", Buffer.from(code)),
    style: yield* assetOf("css", "text/css; charset=utf-8", Buffer.concat(styles))
  }
})

/** The script and the style of the console. */
export type Bundle = Effect.Success<typeof make>

const keptFiles = (): Effect.Effect<Bundle> => {
  const turn = Semaphore.makeUnsafe(1)
  let kept: Bundle | undefined
  const made = Effect.tap(make, (bundle) =>
    Effect.sync(() => {
      kept = bundle
    })
  )
  return turn.withPermits(1)(Effect.suspend(() => (kept === undefined ? made : Effect.succeed(kept))))
}

/**
 * The files made from facade/console/page. A process makes them once, after its start or at the first request. If this
 * fails, for example because memory is short, the next request tries again.
 */
export const PageFiles = Context.Reference<Effect.Effect<Bundle>>("saldo/facade/console/PageFiles", {
  defaultValue: keptFiles
})
