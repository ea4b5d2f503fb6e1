import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { Effect } from "effect"

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: string | number }
}

/** A span as OTLP has it, as far as tests look. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: ReadonlyArray<Attribute>
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
}

/** A collector that keeps what it is sent over OTLP/HTTP, and checks who sends it. */
export const collector = (authorization: string) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly url: string
      /** All that has come, as it came. */
      readonly received: Array<string>
      readonly spans: () => ReadonlyArray<Span>
      readonly close: () => void
    }>((resume) => {
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
      server.listen(0, "127.0.0.1", () =>
        resume(
          Effect.succeed({
            url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
            received,
            spans: () => spans,
            close: () => server.close()
          })
        )
      )
    }),
    ({ close }) => Effect.sync(close)
  )
