import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { invalidBodies, invalidValuesFor, trickyTexts } from "../support/HostileInput.ts"
import { customer } from "./support/Customer.ts"
import { type Door, exampleBody, fieldsOf, knock, writing } from "./support/Endpoints.ts"
import { unchanged, unchangedByAll } from "./support/Rows.ts"
import { TestServer } from "./support/Server.ts"

const doors = writing.map((door) => [door.method, door.path, door] as const)

/** The example's body with one field as this JSON says. */
const withField = (door: Door, name: string, json: string): string => {
  const { [name]: _, ...others } = exampleBody(door) as Record<string, unknown>
  const members = Object.entries(others).map(([other, value]) => `${JSON.stringify(other)}:${JSON.stringify(value)}`)
  return `{${[...members, `${JSON.stringify(name)}:${json}`].join(",")}}`
}

const size_max = 64 * 1024

/** A JSON object of so many bytes. */
const ofSize = (bytes: number): string => `{"relleno":"${"x".repeat(bytes - 14)}"}`

layer(TestServer, { excludeTestServices: true })("a body that is wrong", (it) => {
  describe.each(doors)("at %s %s", (_method, _path, door) => {
    it.effect.each(invalidBodies)("is refused as no JSON object: %s", ([, body]) =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        const answer = yield* unchanged(knock(door, auth, body))
        assert.deepStrictEqual([answer.status, answer.body.error?.code], [422, "VALIDATION_ERROR"])
        assert.deepStrictEqual(answer.body.error.details, { body: "json_invalido" })
      })
    )

    it.effect.each([
      ["a byte too many", ofSize(size_max + 1), {}, 413, { body: "demasiado_grande" }],
      ["a megabyte", ofSize(1024 * 1024), {}, 413, { body: "demasiado_grande" }],
      ["another type", "{}", { "content-type": "text/plain" }, 415, { content_type: "invalido" }],
      ["a form", "a=1", { "content-type": "application/x-www-form-urlencoded" }, 415, { content_type: "invalido" }],
      ["an empty type", "{}", { "content-type": "" }, 415, { content_type: "invalido" }],
      ["a type that only begins so", "{}", { "content-type": "application/json5" }, 415, { content_type: "invalido" }],
      ["Latin-1", "{}", { "content-type": "application/json; charset=latin1" }, 415, { content_type: "invalido" }],
      ["UTF-16", "{}", { "content-type": 'application/json; charset="utf-16"' }, 415, { content_type: "invalido" }],
      ["gzip", "{}", { "content-encoding": "gzip" }, 415, { content_type: "invalido" }]
    ] as const)("is refused by its head: %s", ([, body, headers, status, details]) =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        const answer = yield* unchanged(knock(door, { ...auth, ...headers }, body))
        assert.deepStrictEqual([answer.status, answer.body.error?.code], [status, "VALIDATION_ERROR"])
        assert.deepStrictEqual(answer.body.error.details, details)
      })
    )

    it.effect("is not refused for its size while it has 64 KiB, for 32 levels, or for a byte order mark", () =>
      Effect.gen(function* () {
        const { auth } = yield* customer({ money: 0 })
        for (const body of [
          ofSize(size_max),
          `${'{"a":'.repeat(32)}1${"}".repeat(32)}`,
          "\ufeff{}",
          '{"__proto__":{}}'
        ]) {
          const { body: said, status } = yield* unchanged(knock(door, auth, body))
          assert.notInclude([413, 415, 500], status)
          assert.notStrictEqual(said.error?.details?.body, "json_invalido")
        }
      })
    )

    it.effect("names the field that is wrong, whatever is wrong with it", () =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        const wrong = fieldsOf(door).flatMap(([name, document]) =>
          invalidValuesFor(document).map((json) => [name, json] as const)
        )
        yield* unchangedByAll(wrong, ([name, json]) =>
          Effect.map(knock(door, auth, withField(door, name, json)), ({ body, status }) => {
            assert.deepStrictEqual([status, body.error?.code], [422, "VALIDATION_ERROR"], `${name}: ${json}`)
            assert.property(body.error.details, name, json)
          })
        )
      })
    )

    it.effect("takes a text for a text, and nothing else", () =>
      Effect.gen(function* () {
        const { auth } = yield* customer({ money: 0 })
        for (const [name, { type }] of fieldsOf(door)) {
          for (const text of type === "string" ? trickyTexts : []) {
            const { body, status } = yield* knock(door, auth, withField(door, name, JSON.stringify(text)))
            assert.isBelow(status, 500, text)
            assert.notStrictEqual(body.error?.code, "INTERNAL_ERROR", text)
          }
        }
      })
    )
  })
})
