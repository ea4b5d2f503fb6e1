import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { digestOfAll, knownVersions } from "../../adapters/postgres/SqlFiles.ts"

describe("the version of the schema", () => {
  it.effect("rises with every change of sql", () =>
    Effect.gen(function* () {
      const versions = yield* knownVersions
      assert.deepStrictEqual(
        versions.map(({ version }) => version),
        versions.map((_, index) => index + 1)
      )
      const digest = yield* digestOfAll
      assert.strictEqual(
        versions.at(-1)?.digest,
        digest,
        `sql has changed: add the line "${versions.length + 1} ${digest}" to sql/versions.txt`
      )
    })
  )
})
