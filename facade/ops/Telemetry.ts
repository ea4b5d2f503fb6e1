import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Layer, Redacted, References, Tracer } from "effect"
import { HttpClient, HttpMiddleware } from "effect/http"
import { OtlpLogger, OtlpSerialization, OtlpTracer } from "effect/observability"
import manifest from "../../package.json" with { type: "json" }
import { Settings } from "../settings/Settings.ts"

type Collector = NonNullable<Settings["Service"]["otlp"]>

const always = () => true

// Turns off the libraries' own spans. They contain whole URLs, and some URLs contain customers' numbers.
const traceLimits = Layer.mergeAll(
  Layer.succeed(HttpMiddleware.TracerDisabledWhen, always),
  Layer.succeed(HttpClient.TracerDisabledWhen, always),
  // Excludes the spans of loops that run every second, which have level Debug.
  Layer.succeed(Tracer.MinimumTraceLevel, "Info")
)

const exportTo = ({ headers, url }: Collector, environment: string) => {
  const options = {
    headers: Redacted.value(headers),
    resource: {
      serviceName: "saldo",
      serviceVersion: manifest.version,
      attributes: { "deployment.environment.name": environment }
    }
  }
  return Layer.mergeAll(
    OtlpTracer.layer({ ...options, url: `${url}/v1/traces` }),
    OtlpLogger.layer({ ...options, url: `${url}/v1/logs` }),
    traceLimits
  ).pipe(Layer.provide([OtlpSerialization.layerJson, NodeHttpClient.layerUndici]))
}

/** Without a collector, tracing is off and no spans are created. */
const tracingOff = Layer.succeed(References.TracerEnabled, false)

/** Sends traces and logs to the operator's collector. If the collector is unreachable, only that data is lost. */
export const telemetry = Layer.unwrap(
  Settings.useSync(({ environment, otlp }) => (otlp === null ? tracingOff : exportTo(otlp, environment)))
)
