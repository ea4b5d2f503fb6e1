import { Buffer } from "node:buffer"
import { writeFileSync } from "node:fs"
import manifest from "../package.json" with { type: "json" }
import { type ShippedPackage, shippedPackages } from "./licences.ts"

/** The generated bill of materials. */
export const billFile = new URL("../sbom.json", import.meta.url)

const purlOf = ({ name, version }: Pick<ShippedPackage, "name" | "version">): string =>
  `pkg:npm/${name.replace("@", "%40")}@${version}`

// npm writes a digest in the browsers' format: `sha512-` and base64.
const hashOf = (integrity: string) => {
  const [algorithm = "", digest = ""] = integrity.split("-", 2)
  return { alg: algorithm.replace("sha", "SHA-"), content: Buffer.from(digest, "base64").toString("hex") }
}

const licenceOf = (licence: string) => (licence.includes(" ") ? { expression: licence } : { license: { id: licence } })

const component = (those: readonly [ShippedPackage, ...ReadonlyArray<ShippedPackage>]) => {
  const [{ integrity, licence, name, version }] = those
  const purl = purlOf({ name, version })
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    scope: those.some(({ always }) => always) ? "required" : "optional",
    licenses: [licenceOf(licence)],
    purl,
    hashes: integrity.split(" ").map(hashOf)
  }
}

/**
 * The shipped packages as a CycloneDX 1.5 document, each package once. npm's own bill of materials omits packages that
 * development packages need too.
 */
export const billOfMaterials = () => ({
  $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
  bomFormat: "CycloneDX",
  specVersion: "1.5",
  version: 1,
  metadata: {
    component: {
      type: "application",
      "bom-ref": purlOf(manifest),
      name: manifest.name,
      version: manifest.version,
      licenses: [licenceOf(manifest.license)],
      purl: purlOf(manifest)
    }
  },
  components: [...Map.groupBy(shippedPackages, purlOf).values()].map((those) =>
    component(those as [ShippedPackage, ...ReadonlyArray<ShippedPackage>])
  )
})

if (import.meta.main) writeFileSync(billFile, `${JSON.stringify(billOfMaterials(), null, 2)}\n`)
