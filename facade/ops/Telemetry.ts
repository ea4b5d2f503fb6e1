import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Layer, Redacted, References, Tracer } from "effect"
import { HttpClient, HttpMiddleware } from "effect/http"
import { OtlpLogger, OtlpSerialization, OtlpTracer } from "effect/observability"
import manifest from "../../package.json" with { type: "json" }
import { Settings } from "../settings/Settings.ts"

type Collector = NonNullable<Settings["Service"]["otlp"]>

const yes = () => true

// What the libraries would put into their spans by themselves are whole addresses: numbers of customers are in some.
const discreet = Layer.mergeAll(
  Layer.succeed(HttpMiddleware.TracerDisabledWhen, yes),
  Layer.succeed(HttpClient.TracerDisabledWhen, yes),
  // Rounds that begin every second are Debug.
  Layer.succeed(Tracer.MinimumTraceLevel, "Info")
)

const sendingTo = ({ headers, url }: Collector, environment: string) => {
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
    discreet
  ).pipe(Layer.provide([OtlpSerialization.layerJson, NodeHttpClient.layerUndici]))
}

/** Without a collector nothing is traced, and no span is made. */
const nowhere = Layer.succeed(References.TracerEnabled, false)

/**
 * Sends traces and logs to the operator's collector. One that is gone costs nothing but what it would have been told.
 */
export const telemetry = Layer.unwrap(
  Settings.useSync(({ environment, otlp }) => (otlp === null ? nowhere : sendingTo(otlp, environment)))
)
