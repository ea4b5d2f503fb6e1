import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { apiDocument } from "../../support/ApiDocument.ts"
import { call } from "../../support/service/HttpCalls.ts"
import { TestService } from "../../support/service/InMemoryService.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

// Stops Redocly from sending usage data and from looking for a newer version.
const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }

/** Command-line options of each linter. The rules are files in the root of the repository. */
const linters = {
  redocly: ["lint", "--format=json"],
  spectral: ["lint", "--quiet", "--format=json", "--fail-severity=hint"]
} as const

type Linter = keyof typeof linters

const everyLinter: ReadonlyArray<Linter> = ["redocly", "spectral"]

/** The problems that a linter reports in a document, one a line. Empty when there are none. */
const faultsBy = async (linter: Linter, document: object): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "saldo-lint-"))
  try {
    const path = join(folder, "openapi.json")
    writeFileSync(path, JSON.stringify(document))
    const program = `${root}node_modules/.bin/${linter}`
    const run = promisify(execFile)(process.execPath, [program, ...linters[linter], path], { cwd: root, env })
    const { stdout } = await run.catch(({ stdout }: { readonly stdout: string }) => ({ stdout }))
    const report = JSON.parse(stdout.slice(stdout.search(/[[{]/)))
    const problems: ReadonlyArray<object> = Array.isArray(report) ? report : report.problems
    return problems.map((problem) => JSON.stringify(problem)).join("\n")
  } finally {
    rmSync(folder, { recursive: true })
  }
}

layer(TestService, { excludeTestServices: true })("the served OpenAPI document", (it) => {
  it.effect.each(everyLinter)("has no error and no warning according to %s", (linter) =>
    Effect.gen(function* () {
      const { body } = yield* call("/v1/openapi.json")
      assert.strictEqual(yield* Effect.promise(() => faultsBy(linter, body)), "")
    })
  )
})

describe("the OpenAPI document of a public deployment", () => {
  it.each(everyLinter)("has no error and no warning according to %s", async (linter) => {
    assert.strictEqual(await faultsBy(linter, apiDocument), "")
  })
})

describe.each(everyLinter)("%s", (linter) => {
  it("reports an operation without a summary or with an undeclared tag", async () => {
    const { summary: _, ...operation } = apiDocument.paths["/v1/estado"].get
    const document = structuredClone(apiDocument)
    document.paths["/v1/estado"].get = { ...operation, tags: ["Nada"] }
    assert.match(await faultsBy(linter, document), /operation-summary|operation-tag-defined/)
  })
})
