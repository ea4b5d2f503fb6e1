import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { DispatchAnswer } from "../../../core/domain/Sale.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { serveLocally } from "../../fakes/LocalServer.ts"
import { testDatabaseUrl } from "../../support/Database.ts"
import { eventually } from "../../support/Eventually.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { CapturedLog } from "../../support/service/CapturedLog.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { as, get, sell } from "../../support/service/HttpCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { monitoredServer } from "../support/MonitoredServer.ts"

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: string | number }
}

/** The fields of an OTLP span that the tests read. */
interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: ReadonlyArray<Attribute>
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
}

/** A fake OTLP/HTTP collector that checks the authorization header and keeps what it receives. */
const collector = Effect.fnUntraced(function* (authorization: string) {
  /** The unchanged body of every request. */
  const received: Array<string> = []
  const spans: Array<Span> = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    if (request.headers.authorization !== authorization) return void response.writeHead(401).end()
    received.push(body)
    if (request.url === "/v1/traces") {
      for (const { scopeSpans } of JSON.parse(body).resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans)
    }
    response.writeHead(200, { "content-type": "application/json" }).end("{}")
  })
  return { url: yield* serveLocally(server), received, spans: (): ReadonlyArray<Span> => spans }
})

const authorization = "Bearer canario-del-colector"

class Collector extends Context.Service<Collector, Effect.Success<ReturnType<typeof collector>>>()("test/Collector") {}

const followed = Layer.unwrap(
  Collector.useSync(({ url }) =>
    monitoredServer({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${encodeURIComponent(authorization)}`,
      LOG_LEVEL: "all",
      LOG_FORMAT: "json"
    })
  )
).pipe(Layer.provideMerge(Layer.effect(Collector, collector(authorization))), Layer.provide(CapturedLog.layer))

const sale = { service_id: 1, amount: 100 }
const canary = "8095557139"

const attribute = (span: Span, key: string) => {
  const { value } = span.attributes.find((each) => each.key === key) ?? {}
  return value?.stringValue ?? value?.intValue
}

/** Waits until `count` spans with this name were exported. Returns all spans exported until then. */
const spansOnce = Effect.fnUntraced(function* (name: string, count: number) {
  const { pass } = yield* ManualClock
  const { spans } = yield* Collector
  return yield* eventually(
    Effect.andThen(
      pass("6 seconds"),
      Effect.sync(() => [...spans()])
    ),
    (all) => all.filter((span) => span.name === name).length >= count
  )
})

const named = (spans: ReadonlyArray<Span>, name: string) => spans.filter((span) => span.name === name)

/** Whether a span is a descendant of another. */
const isBelow = (spans: ReadonlyArray<Span>, span: Span, above: Span): boolean => {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  return parent !== undefined && (parent === above || isBelow(spans, parent, above))
}

layer(followed, { excludeTestServices: true })("a trace collector", (it) => {
  it.effect("receives a sale as one trace, from the request to the shared database statement", () =>
    Effect.gen(function* () {
      const { auth, companyId } = yield* customer()
      const { body } = yield* sell({ ...sale, identifier: canary }, auth)
      const spans = yield* spansOnce("POST /v1/recargas", 1)
      const [root] = named(spans, "POST /v1/recargas")
      if (root === undefined) return assert.fail("the call has no span")
      assert.strictEqual(attribute(root, "saldo.xid"), body.data.xid)
      assert.strictEqual(attribute(root, "saldo.request_id"), body.request_id)
      assert.strictEqual(Number(attribute(root, "saldo.company")), companyId)
      assert.isUndefined(root.parentSpanId)
      for (const name of ["Sell.sell", "Settle.settle", "group reserve", "group settle"]) {
        const [span] = named(spans, name)
        assert.isTrue(span !== undefined && isBelow(spans, span, root), name)
      }
      const [group] = named(spans, "group reserve")
      const statements = spans.filter((span) => span.parentSpanId === group?.spanId)
      assert.match(String(attribute(statements[0] as Span, "db.query.text")), /from "cell"\.reserve\(/)
      const { hostname, pathname, port } = new URL(yield* testDatabaseUrl)
      const place = ["server.address", "server.port", "db.namespace"].map((key) =>
        String(attribute(statements[0] as Span, key))
      )
      assert.deepStrictEqual(place, [hostname, port, pathname.slice(1)])
    })
  )

  it.effect("receives links between each sale and the batch in which the sale was reserved", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      const before = named(yield* spansOnce("group reserve", 1), "POST /v1/recargas").length
      const identifiers = ["8095550131", "8095550133", "8095550134", "8095550135", "8095550136", "8095550137"]
      yield* Effect.forEach(identifiers, (identifier) => sell({ ...sale, identifier }, auth), { concurrency: 6 })
      const spans = yield* spansOnce("POST /v1/recargas", before + identifiers.length)
      const traces = new Set(named(spans, "POST /v1/recargas").map(({ traceId }) => traceId))
      const linked = named(spans, "group reserve").flatMap((group) => group.links.map(({ traceId }) => traceId))
      assert.deepStrictEqual([...traces.difference(new Set(linked))], [])
      for (const group of named(spans, "group reserve")) {
        for (const link of group.links) {
          const member = spans.find(({ spanId }) => spanId === link.spanId)
          assert.isTrue(member?.links.some(({ spanId }) => spanId === group.spanId))
        }
      }
    })
  )

  it.effect("receives a span for each status query of recovery, and none for idle cycles", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { provider } = yield* Script
      const { auth } = yield* customer()
      yield* recover("due")
      const identifier = "8095550012"
      provider.set(identifier, { dispatch: () => Effect.succeed(DispatchAnswer.Unknown()) })
      const { body } = yield* sell({ ...sale, identifier }, auth)
      yield* pass("1 minute")
      yield* recover("due")
      const spans = yield* spansOnce("Recover.askAboutSale", 1)
      const [question] = named(spans, "Recover.askAboutSale")
      assert.strictEqual(question && attribute(question, "xid"), body.error.details.xid)
      assert.isUndefined(question?.parentSpanId)
      assert.isEmpty(named(spans, "Recover.recover"))
    })
  )

  it.effect("receives no identifier, no secret and no trace id chosen by a client", () =>
    Effect.gen(function* () {
      const { apiKey, auth } = yield* customer()
      const forged = { traceparent: "00-0123456789abcdef0123456789abcdef-0123456789abcdef-00" }
      const before = named(yield* spansOnce("group reserve", 1), "GET /v1/transacciones").length
      yield* sell({ ...sale, identifier: canary }, { ...auth, ...forged })
      yield* get(`/v1/transacciones?identifier=${canary}`, { ...auth, ...forged })
      yield* get(`/v1/transacciones?q=${apiKey}`, as(apiKey, canary))
      const spans = yield* spansOnce("GET /v1/transacciones", before + 2)
      assert.isEmpty(spans.filter(({ traceId }) => traceId === "0123456789abcdef0123456789abcdef"))
      const { received } = yield* Collector
      const all = received.join("\n")
      for (const secret of [canary, "s3creto", apiKey, "canario-del-colector"]) assert.notInclude(all, secret)
    })
  )
})
