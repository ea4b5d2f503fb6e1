import { hash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { Effect } from "effect"
import { assetsPath } from "../api/Envelope.ts"
import { scalarBundle } from "./ScalarBundle.ts"

/** A file that the pages of the documentation load. */
export interface Asset {
  /** The path. It contains a hash of the content, so browsers may cache the file for ever. */
  readonly path: `/${string}`
  readonly contentType: string
  readonly bytes: Uint8Array
  /** The bytes of the file, compressed with gzip at the first request. */
  readonly compressed: Effect.Effect<Uint8Array>
}

const contentTypes = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml"
} as const

const assetOf = Effect.fnUntraced(function* (name: string, extension: keyof typeof contentTypes, bytes: Uint8Array) {
  const version = hash("sha256", bytes, "hex").slice(0, 16)
  const asset: Asset = {
    path: `${assetsPath}/${name}.${version}.${extension}`,
    contentType: contentTypes[extension],
    bytes,
    compressed: yield* Effect.cached(Effect.promise(() => promisify(gzip)(bytes)))
  }
  return asset
})

const load = (name: string, extension: keyof typeof contentTypes, location: URL) =>
  Effect.flatMap(
    Effect.promise(() => readFile(location)),
    (bytes) => assetOf(name, extension, bytes)
  )

/** Loads the files that the pages use. */
export const loadAssets = Effect.all(
  {
    scalar: Effect.flatMap(scalarBundle, (script) => assetOf("scalar", "js", Buffer.from(script))),
    console: load("console", "js", new URL("./files/console.js", import.meta.url)),
    style: load("pages", "css", new URL("./files/pages.css", import.meta.url)),
    icon: load("icon", "svg", new URL("./files/icon.svg", import.meta.url))
  },
  { concurrency: "unbounded" }
)

export type Assets = Effect.Success<typeof loadAssets>
