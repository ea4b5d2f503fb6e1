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
  it("equals its generated text (run `npm run docs:licences` to update it)", () => {
    assert.strictEqual(readFileSync(licencesFile, "utf8"), licencesPage())
  })

  it("lists every package that runs in production", () => {
    const names = new Set(shippedPackages.map(({ name }) => name))
    assert.isEmpty(Object.keys(manifest.dependencies).filter((name) => !names.has(name)))
  })

  it("lists only licences that were reviewed and accepted", () => {
    assert.isEmpty(shippedPackages.filter(({ licence }) => !acceptedLicences.has(licence)))
  })

  it("gives the licence that each installed package states", () => {
    const installed = shippedPackages.filter(({ path }) => existsSync(manifestOf(path)))
    assert.isNotEmpty(installed)
    for (const { declared, name, path } of installed) {
      const { license } = JSON.parse(readFileSync(manifestOf(path), "utf8"))
      assert.strictEqual(license, declared, name)
    }
  })

  it("replaces the licence that a package states only if none is stated or the stated one is not accepted", () => {
    for (const name of Object.keys(licencesReadByHand)) {
      const { declared } = shippedPackages.find((each) => each.name === name) ?? {}
      assert.isFalse(acceptedLicences.has(declared ?? ""), name)
    }
  })
})

describe("the bill of materials", () => {
  const { components } = billOfMaterials()

  it("lists exactly the packages of the page", () => {
    const rows = components.map(({ licenses: [licence], name, version }) => {
      const named = licence !== undefined && "license" in licence ? licence.license.id : licence?.expression
      return `| ${name} | ${version} | ${named} |`
    })
    const page = licencesPage().match(/^\| \S+ \| \d+\.\S+ \| .* \|$/gm)
    assert.sameMembers(rows, [...(page ?? [])])
  })

  it("marks the packages of the image as required", () => {
    const required = new Set(components.flatMap(({ name, scope }) => (scope === "required" ? [name] : [])))
    assert.isEmpty(Object.keys(manifest.dependencies).filter((name) => !required.has(name)))
  })

  it("identifies each package by its package URL and npm's integrity hash", () => {
    const refs = new Set(components.map((each) => each["bom-ref"]))
    assert.strictEqual(refs.size, components.length)
    for (const { hashes, name, purl } of components) {
      assert.match(purl, /^pkg:npm\/(%40[^/@]+\/)?[^/@]+@\d+\.\d+\.\d+\S*$/, name)
      assert.match(hashes.map(({ alg, content }) => `${alg} ${content}`).join(), /^SHA-512 [0-9a-f]{128}$/, name)
    }
  })
})
