import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Layer, Redacted, References, Tracer } from "effect"
import { HttpClient, HttpMiddleware } from "effect/http"
import { OtlpLogger, OtlpSerialization, OtlpTracer } from "effect/observability"
import manifest from "../../package.json" with { type: "json" }
import { Settings } from "../settings/Settings.ts"

type Collector = NonNullable<Settings["Service"]["otlp"]>

const always = () => true

// What the libraries would put into their spans by themselves are whole addresses: numbers of customers are in some.
const traceLimits = Layer.mergeAll(
  Layer.succeed(HttpMiddleware.TracerDisabledWhen, always),
  Layer.succeed(HttpClient.TracerDisabledWhen, always),
  // Rounds that begin every second are Debug.
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

/** Without a collector nothing is traced, and no span is made. */
const tracingOff = Layer.succeed(References.TracerEnabled, false)

/**
 * Sends traces and logs to the operator's collector. One that is gone costs nothing but what it would have been told.
 */
export const telemetry = Layer.unwrap(
  Settings.useSync(({ environment, otlp }) => (otlp === null ? tracingOff : exportTo(otlp, environment)))
)
