import { hash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { Effect } from "effect"
import { assetsPath } from "../api/Envelope.ts"
import { scalarBundle, scalarVersion } from "./ScalarBundle.ts"

/** A file that the pages of the documentation load. */
export interface Asset {
  /** The path. It changes with the content, so browsers may cache the file for ever. */
  readonly path: `/${string}`
  readonly contentType: string
  readonly bytes: Effect.Effect<Uint8Array>
  /** The bytes of the file, compressed with gzip at the first request. */
  readonly compressed: Effect.Effect<Uint8Array>
}

const contentTypes = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml"
} as const

const assetOf = Effect.fnUntraced(function* (
  name: string,
  extension: keyof typeof contentTypes,
  version: string,
  bytes: Effect.Effect<Uint8Array>
) {
  const zipped = Effect.flatMap(bytes, (content) => Effect.promise(() => promisify(gzip)(content)))
  const asset: Asset = {
    path: `${assetsPath}/${name}.${version}.${extension}`,
    contentType: contentTypes[extension],
    bytes,
    // A client that closes its connection must not interrupt the compression, because the result is cached.
    compressed: yield* Effect.cached(Effect.uninterruptible(zipped))
  }
  return asset
})

const load = (name: string, extension: keyof typeof contentTypes, location: URL) =>
  Effect.flatMap(
    Effect.promise(() => readFile(location)),
    (bytes) => assetOf(name, extension, hash("sha256", bytes, "hex").slice(0, 16), Effect.succeed(bytes))
  )

// The script is loaded at its first request and not at the start, because it takes 25 MB and most servers rarely serve the
// page.
const scalar = Effect.gen(function* () {
  const script = Effect.map(scalarBundle, (text): Uint8Array => Buffer.from(text))
  return yield* assetOf("scalar", "js", yield* scalarVersion, yield* Effect.cached(Effect.uninterruptible(script)))
})

/** Loads the files that the pages use. */
export const loadAssets = Effect.all(
  {
    scalar,
    console: load("console", "js", new URL("./files/console.js", import.meta.url)),
    style: load("pages", "css", new URL("./files/pages.css", import.meta.url)),
    icon: load("icon", "svg", new URL("./files/icon.svg", import.meta.url))
  },
  { concurrency: "unbounded" }
)

export type Assets = Effect.Success<typeof loadAssets>
