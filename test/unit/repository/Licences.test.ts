import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import manifest from "../../../package.json" with { type: "json" }
import {
  acceptedLicences,
  licencesFile,
  licencesPage,
  licencesReadByHand,
  shippedPackages
} from "../../../scripts/licences.ts"
import { billOfMaterials } from "../../../scripts/sbom.ts"

const manifestOf = (path: string) => new URL(`../../../${path}/package.json`, import.meta.url)

describe("the page of licences", () => {
  it("is on disk as it is generated: run `npm run docs:licences` when it is not", () => {
    assert.strictEqual(readFileSync(licencesFile, "utf8"), licencesPage())
  })

  it("has every package that runs", () => {
    const names = new Set(shippedPackages.map(({ name }) => name))
    assert.isEmpty(Object.keys(manifest.dependencies).filter((name) => !names.has(name)))
  })

  it("has licences alone that somebody has read and accepted", () => {
    assert.isEmpty(shippedPackages.filter(({ licence }) => !acceptedLicences.has(licence)))
  })

  it("says of each package that is installed what that says itself", () => {
    const installed = shippedPackages.filter(({ path }) => existsSync(manifestOf(path)))
    assert.isNotEmpty(installed)
    for (const { declared, name, path } of installed) {
      const { license } = JSON.parse(readFileSync(manifestOf(path), "utf8"))
      assert.strictEqual(license, declared, name)
    }
  })

  it("reads by hand only what names no licence that can be looked up", () => {
    for (const name of Object.keys(licencesReadByHand)) {
      const { declared } = shippedPackages.find((each) => each.name === name) ?? {}
      assert.isFalse(acceptedLicences.has(declared ?? ""), name)
    }
  })
})

describe("the bill of materials", () => {
  const { components } = billOfMaterials()

  it("has the packages of the page, and no others", () => {
    const rows = components.map(({ licenses: [licence], name, version }) => {
      const named = licence !== undefined && "license" in licence ? licence.license.id : licence?.expression
      return `| ${name} | ${version} | ${named} |`
    })
    const page = licencesPage().match(/^\| \S+ \| \d+\.\S+ \| .* \|$/gm)
    assert.sameMembers(rows, [...(page ?? [])])
  })

  it("has whatever the image has as required", () => {
    const required = new Set(components.flatMap(({ name, scope }) => (scope === "required" ? [name] : [])))
    assert.isEmpty(Object.keys(manifest.dependencies).filter((name) => !required.has(name)))
  })

  it("names each so that others find it, with the hash that npm demands", () => {
    const refs = new Set(components.map((each) => each["bom-ref"]))
    assert.strictEqual(refs.size, components.length)
    for (const { hashes, name, purl } of components) {
      assert.match(purl, /^pkg:npm\/(%40[^/@]+\/)?[^/@]+@\d+\.\d+\.\d+\S*$/, name)
      assert.match(hashes.map(({ alg, content }) => `${alg} ${content}`).join(), /^SHA-512 [0-9a-f]{128}$/, name)
    }
  })
})
