import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import { Books } from "../../../adapters/memory/Books.ts"
import * as DeliveriesMemory from "../../../adapters/memory/DeliveriesMemory.ts"
import * as WebhooksMemory from "../../../adapters/memory/WebhooksMemory.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { WebhookUrl, webhookSecretOf } from "../../../core/domain/Webhook.ts"
import { Deliveries } from "../../../core/ports/Deliveries.ts"
import { WebhookSender } from "../../../core/ports/WebhookSender.ts"
import { Webhooks } from "../../../core/ports/Webhooks.ts"
import { keepDelivering } from "../../../core/workflows/DeliverEvents.ts"
import { makeFloatReading } from "../../../core/workflows/ReadFloat.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { fakeHttpProvider } from "../../fakes/HttpSuppliers.ts"
import { eventually } from "../../support/Eventually.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { sell } from "../../support/service/HttpCalls.ts"
import { getOperations, monitoredServer } from "../support/MonitoredServer.ts"

const textOf = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8")

const alerts = textOf("ops/alerts.yml")
const dashboard = textOf("ops/grafana-dashboard.json")
const manual = textOf("docs/operating.md")

/** The metrics that a text names. The series of a histogram count as one metric. */
const named = (text: string): ReadonlySet<string> =>
  new Set(Array.from(text.matchAll(/\bsaldo_\w+/g), ([name]) => name.replace(/_(?:bucket|sum|count)$/, "")))

/** The manual's section on metrics. Other sections name database roles, which also start with `saldo_`. */
const [, metricsSection = ""] = /\n## Metrics and alerts\n([\s\S]*?)\n## Cells\n/.exec(manual) ?? []

const secret = "0123456789abcdef0123456789abcdef"

class Fake extends Context.Service<Fake, Effect.Success<ReturnType<typeof fakeHttpProvider>>>()("test/Fake") {}

/** A server with a configured provider, so that every metric exists. */
const selling = Layer.unwrap(
  Fake.useSync(({ url }) =>
    monitoredServer({ AUDIT_EVERY: "15", PROVIDER: "http", PROVIDER_URL: url, PROVIDER_SECRET: secret })
  )
).pipe(Layer.provideMerge(Layer.effect(Fake, fakeHttpProvider(secret))), Layer.provide(ManualClock.layer))

const queueInMemory = Layer.merge(DeliveriesMemory.layer, WebhooksMemory.layer).pipe(Layer.provide(Books.layer))

/** Delivers one event from a queue in memory. */
const deliverOnce = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const deliveries = yield* Deliveries
  const companyId = CompanyId.make(1)
  const at = yield* DateTime.now
  const choice = { url: WebhookUrl.make("https://tienda.example.com/"), eventTypes: [], description: "" }
  const key = Redacted.make(webhookSecretOf(new Uint8Array(32)))
  const { id } = Option.getOrThrow(yield* webhooks.add(companyId, choice, key, at))
  yield* deliveries.test(companyId, id, at)
  yield* Effect.forkScoped(keepDelivering(() => "{}"))
  yield* eventually(
    deliveries.list(companyId, id, { state: "entregada" }, { page: 1, perPage: 1 }),
    ({ total }) => total === 1
  )
}).pipe(
  Effect.scoped,
  Effect.updateService(WebhookSender, (sender) => ({
    ...sender,
    send: () => Effect.succeed({ httpStatus: 200, error: null, retryAfter_s: null, duration_ms: 1 })
  })),
  Effect.provide(queueInMemory)
)

layer(selling, { excludeTestServices: true })("a live server", (it) => {
  it.effect("exposes exactly the metrics that the manual, the alerts and the dashboard name", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer({ company: { environment: "production" } })
      assert.strictEqual((yield* sell({ service_id: 1, identifier: "8095550123", amount: 100 }, auth)).status, 201)
      assert.strictEqual((yield* sell({}, {})).status, 401)
      yield* recover("due")
      yield* deliverOnce
      yield* makeFloatReading({ provider: "simulador", alert: null })
      const { text } = yield* getOperations("/metrics")
      const exposed = new Set(Array.from(text.matchAll(/^# TYPE (\w+) /gm), ([, name = ""]) => name))
      for (const [where, names] of Object.entries({ alerts: named(alerts), dashboard: named(dashboard) })) {
        assert.deepStrictEqual([...names.difference(exposed)], [], where)
      }
      assert.deepStrictEqual([...named(metricsSection)].sort(), [...exposed].sort())
      assert.deepStrictEqual(Array.from(text.matchAll(/^# TYPE (?!saldo_)/gm)), [])
    })
  )
})

describe("docs/operating.md", () => {
  const folders = ["core", "adapters", "facade"]
  const files = folders.flatMap((folder) =>
    readdirSync(new URL(`../../../${folder}`, import.meta.url), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => `${folder}/${file}`)
  )

  it("quotes only log lines that the code writes", () => {
    const text = manual.replaceAll(/\s+/g, " ")
    const quoted = Array.from(text.matchAll(/in the log for `([^`]+)`/g), ([, message = ""]) => message)
    assert.isAbove(quoted.length, 5)
    const code = files.map(textOf).join("\n")
    assert.deepStrictEqual(
      quoted.filter((message) => !code.includes(`"${message}`) && !code.includes(`\`${message}`)),
      []
    )
  })
})

describe("an alert", () => {
  const rules = Array.from(alerts.matchAll(/- alert: (\w+)\n(?:(?! {6}- alert: )[\s\S])*?runbook: (\S+)/g))

  it("links to its section of the manual", () => {
    assert.strictEqual(rules.length, Array.from(alerts.matchAll(/- alert: /g)).length)
    for (const [, name = "", runbook] of rules) {
      assert.include(manual, `\n### ${name}\n`)
      assert.strictEqual(runbook, `docs/operating.md#${name.toLowerCase()}`)
    }
  })

  it("exists as a rule for every section of the manual", () => {
    const [, sections = ""] = manual.split("\n## What to do on each alert\n")
    const headings = Array.from(sections.split("\n## ")[0]?.matchAll(/^### (\w+)$/gm) ?? [], ([, name]) => name)
    assert.deepStrictEqual(
      headings,
      rules.map(([, name]) => name)
    )
  })
})
