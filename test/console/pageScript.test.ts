import { hash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { pageScript } from "../../facade/console/PageScript.ts"
import { temporaryDirectory } from "../support/FirstStart.ts"

const digestOf = (path: string) => hash("sha256", readFileSync(path))

/** Gets the script when the cache file has this content. Returns the script, and the content of the file afterwards. */
const scriptWith = Effect.fnUntraced(function* (content: string) {
  const file = join(yield* temporaryDirectory, "console.json")
  writeFileSync(file, content)
  const script = yield* Effect.promise((signal) => pageScript(signal, file))
  return { script, after: readFileSync(file, "utf8") }
})

const cached = (digest: string) => JSON.stringify({ inputs: { "package.json": digest }, script: "kept()" })

describe("the script of the console's pages", () => {
  it.live("is read from the cache while its source files are unchanged", () =>
    Effect.gen(function* () {
      const content = cached(digestOf("package.json"))
      assert.deepStrictEqual(yield* scriptWith(content), { script: "kept()", after: content })
    })
  )

  it.live("is bundled and cached again after one of its source files has changed", () =>
    Effect.gen(function* () {
      const { after, script } = yield* scriptWith(cached(digestOf("LICENSE")))
      assert.include(script, "Consola de Saldo")
      const { inputs, script: kept } = JSON.parse(after)
      assert.strictEqual(kept, script)
      for (const path of ["facade/console/page/main.tsx", "facade/console/PageScript.ts", "esbuild-wasm/package.json"])
        assert.include(Object.keys(inputs).join(), path)
      assert.strictEqual(inputs["facade/console/page/main.tsx"], digestOf("facade/console/page/main.tsx"))
    })
  )

  it.live("is bundled even if the cache cannot be written", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryDirectory, "file", "console.json")
      writeFileSync(join(file, ".."), "")
      assert.include(yield* Effect.promise((signal) => pageScript(signal, file)), "Consola de Saldo")
    })
  )
})
