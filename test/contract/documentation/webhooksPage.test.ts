import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { EventType } from "../../../core/domain/Webhook.ts"
import { html } from "../../../facade/docs/Html.ts"
import { apiDocument } from "../../support/ApiDocument.ts"
import { eventFaults } from "../../support/EventSchemas.ts"
import { call } from "../../support/service/HttpCalls.ts"
import { TestService } from "../../support/service/InMemoryService.ts"

/** A request to a webhook as the OpenAPI document describes it, with an example body for each type of event. */
interface WebhookRequest {
  readonly post: {
    readonly requestBody: {
      readonly content: {
        readonly "application/json": {
          readonly examples: Readonly<
            Record<string, { readonly summary: string; readonly value: { readonly type: string } }>
          >
        }
      }
    }
  }
}

layer(TestService, { excludeTestServices: true })("the page of webhooks", (it) => {
  it.effect("shows an example of every type of event, as the OpenAPI document does", () =>
    Effect.gen(function* () {
      const { text } = yield* call("/docs/webhooks")
      const documented = Object.values<WebhookRequest>(apiDocument.webhooks).flatMap(({ post }) =>
        Object.entries(post.requestBody.content["application/json"].examples)
      )
      assert.sameMembers(
        documented.map(([type]) => type),
        [...EventType.literals]
      )
      for (const [type, { summary, value }] of documented) {
        assert.strictEqual(value.type, type)
        assert.deepStrictEqual(eventFaults(value), [])
        const shown = html`<h3><code>${type}</code></h3>\n<p>${summary}</p>`.markup
        assert.include(text, shown)
        assert.include(text, html`<code>${JSON.stringify(value, null, 2)}</code>`.markup)
      }
    })
  )

  it.effect.each(["receptor.mjs", "receptor.py", "receptor.php", "Receptor.cs"])(
    "shows the program %s, which the tests run",
    (file) =>
      Effect.gen(function* () {
        const code = readFileSync(new URL(`../../../facade/docs/programs/${file}`, import.meta.url), "utf8")
        assert.include((yield* call("/docs/webhooks")).text, html`<code>${code}</code>`.markup)
      })
  )

  it.effect("states the schedule of retries, the limits and the address of the API", () =>
    Effect.gen(function* () {
      const { text } = yield* call("/docs/webhooks")
      const rows = [...text.matchAll(/<tr><td>(\d+)<\/td><td>([^<]*)<\/td><td>([^<]*)<\/td><\/tr>/g)]
      assert.deepStrictEqual(rows.map(([, ...cells]) => cells).slice(1), [
        ["2", "5 segundos", "5 segundos"],
        ["3", "5 minutos", "5 minutos y 5 segundos"],
        ["4", "30 minutos", "35 minutos y 5 segundos"],
        ["5", "2 horas", "2 horas, 35 minutos y 5 segundos"],
        ["6", "5 horas", "7 horas, 35 minutos y 5 segundos"],
        ["7", "10 horas", "17 horas, 35 minutos y 5 segundos"],
        ["8", "14 horas", "31 horas, 35 minutos y 5 segundos"],
        ["9", "20 horas", "51 horas, 35 minutos y 5 segundos"],
        ["10", "24 horas", "75 horas, 35 minutos y 5 segundos"]
      ])
      for (const fact of ["hasta un 20 % más", "puede tener 10 webhooks", "más de 2048 caracteres", "SALDO=http"])
        assert.include(text, fact)
    })
  )

  it.effect("is linked from the introduction of the API, from the console and from every page", () =>
    Effect.gen(function* () {
      assert.include(apiDocument.info.description, "(/docs/webhooks)")
      for (const path of ["/docs", "/docs/guia", "/docs/webhooks", "/docs/errors", "/docs/errors/NOT_FOUND"])
        assert.include((yield* call(path)).text, ' href="/docs/webhooks"', path)
    })
  )
})
