import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { insurerProtocol } from "../../adapters/insurer/http/InsurerProtocol.ts"
import { providerProtocol } from "../../adapters/provider/http/ProviderProtocol.ts"
import { smsProtocol } from "../../adapters/sms/http/SmsProtocol.ts"
import { protocolDocument } from "../fakes/FakeGateway.ts"

const pageOf = (name: string) => readFileSync(new URL(`../../docs/providers/${name}.md`, import.meta.url), "utf8")

/** Every word that a field may have to be, in a document. */
const wordsOf = (value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  const own = "enum" in value && Array.isArray(value.enum) ? value.enum.map(String) : []
  return [...own, ...Object.values(value).flatMap(wordsOf)]
}

const protocols = [
  ["http", () => OpenApi.fromApi(providerProtocol)],
  ["insurer", () => OpenApi.fromApi(insurerProtocol)],
  ["sms", () => OpenApi.fromApi(smsProtocol)]
] as const

describe("the document of a protocol of our own", () => {
  it.each(protocols)("is what the code speaks: %s (npm run docs:protocols writes it)", (name, generated) => {
    assert.deepStrictEqual(protocolDocument(name) as object, JSON.parse(JSON.stringify(generated())))
  })

  it.effect.each(protocols)("is OpenAPI: %s", ([name]) =>
    Effect.gen(function* () {
      const { errors, valid } = yield* Effect.promise(() => new Validator().validate({ ...protocolDocument(name) }))
      assert.isTrue(valid, JSON.stringify(errors))
    })
  )

  it.each(protocols)("has a page that names every path, status and word: %s", (name) => {
    const document = protocolDocument(name)
    const page = pageOf(name)
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses }]) => [
        `${method.toUpperCase()} ${path}`,
        ...Object.keys(responses).map((status) => status.toLowerCase())
      ])
    )
    const missing = [...operations, ...wordsOf(document)].filter(
      (word) => !page.toLowerCase().includes(word.toLowerCase())
    )
    assert.isEmpty(missing)
  })
})
