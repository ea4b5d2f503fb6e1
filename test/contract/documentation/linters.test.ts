import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
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

/** The document with an operation that has no summary and an undeclared tag. */
const faultyDocument = (): object => {
  const { summary: _, ...operation } = apiDocument.paths["/v1/estado"].get
  const document = structuredClone(apiDocument)
  document.paths["/v1/estado"].get = { ...operation, tags: ["Nada"] }
  return document
}

interface Problem {
  /** Path of the document, as Spectral reports it. */
  readonly source?: string
  /** Places of the problem, as Redocly reports them. */
  readonly location?: ReadonlyArray<{ readonly source: { readonly ref: string } }>
}

const documentOf = ({ location, source }: Problem): string =>
  basename(source ?? location?.[0]?.source.ref ?? "", ".json")

/** The problems in each document, one per line. Linters start slowly, so one process reads all documents. */
const lint = async (linter: Linter, documents: ReadonlyMap<string, object>): Promise<ReadonlyMap<string, string>> => {
  const folder = mkdtempSync(join(tmpdir(), "saldo-lint-"))
  try {
    const paths = Array.from(documents, ([name, document]) => {
      const path = join(folder, `${name}.json`)
      writeFileSync(path, JSON.stringify(document))
      return path
    })
    const program = `${root}node_modules/.bin/${linter}`
    const run = promisify(execFile)(process.execPath, [program, ...linters[linter], ...paths], { cwd: root, env })
    const { stdout } = await run.catch(({ stdout }: { readonly stdout: string }) => ({ stdout }))
    // Spectral prints one list of problems. Redocly prints a report for each document, one directly after the other.
    const printed = stdout.slice(stdout.search(/[[{]/)).replaceAll(/^\}\{$/gm, "},{")
    const reports: ReadonlyArray<Problem | { readonly problems: ReadonlyArray<Problem> }> = JSON.parse(
      `[${printed}]`
    ).flat()
    const problems = reports.flatMap((report) => ("problems" in report ? report.problems : [report]))
    const found = Map.groupBy(problems, documentOf)
    assert.includeMembers([...documents.keys()], [...found.keys()], "a problem belongs to an unknown document")
    return new Map(
      Array.from(documents.keys(), (name) => [
        name,
        (found.get(name) ?? []).map((each) => JSON.stringify(each)).join("\n")
      ])
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

class Reports extends Context.Service<Reports, Readonly<Record<Linter, ReadonlyMap<string, string>>>>()(
  "test/Reports"
) {
  static readonly layer = Layer.effect(
    Reports,
    Effect.gen(function* () {
      const { body } = yield* call("/v1/openapi.json")
      const documents = new Map([
        ["served", body],
        ["public", apiDocument],
        ["faulty", faultyDocument()]
      ])
      const reportOf = (linter: Linter) => Effect.promise(() => lint(linter, documents))
      return { redocly: yield* reportOf("redocly"), spectral: yield* reportOf("spectral") }
    })
  )
}

const reported = (linter: Linter, document: string) => Reports.useSync((reports) => reports[linter].get(document))

layer(Layer.provide(Reports.layer, TestService), { excludeTestServices: true, timeout: "3 minutes" })(
  "the OpenAPI document",
  (it) => {
    it.effect.each(everyLinter)("as it is served has no error and no warning according to %s", (linter) =>
      Effect.map(reported(linter, "served"), (problems) => assert.strictEqual(problems, ""))
    )

    it.effect.each(everyLinter)("of a public deployment has no error and no warning according to %s", (linter) =>
      Effect.map(reported(linter, "public"), (problems) => assert.strictEqual(problems, ""))
    )

    it.effect.each(everyLinter)("without a summary and with an undeclared tag has an error according to %s", (linter) =>
      Effect.map(reported(linter, "faulty"), (problems) =>
        assert.match(problems ?? "", /operation-summary|operation-tag-defined/)
      )
    )
  }
)
