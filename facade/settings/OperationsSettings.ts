import { Duration, type Effect, Redacted } from "effect"
import { listenHost, portOrOff } from "./ListenAddress.ts"
import { integer, off, orOff, type Parser, urlWithProtocol, variable } from "./Variable.ts"

/** Settings for monitoring and stopping the service. */

const opsPort_default = 9464

/** Parses comma-separated `name=value` pairs with URL-encoded values, OpenTelemetry's format. */
const headerPairs: Parser<Readonly<Record<string, string>>> = (text) => {
  try {
    const pairs = text.split(",").map((pair) => /^\s*([\w-]+)\s*=(.*)$/.exec(pair))
    return pairs.some((pair) => pair === null)
      ? null
      : Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? "", decodeURIComponent(pair?.[2]?.trim() ?? "")]))
  } catch {
    return null
  }
}

export const operationsVariables = {
  opsPort: portOrOff("OPS_PORT"),
  // Local by default, because metrics show the volume of sales.
  opsHost: listenHost("OPS_HOST"),
  auditEvery_min: variable("AUDIT_EVERY", {
    expected: "a whole number of minutes from 1 to 10080, or off",
    read: orOff(integer(1, 10_080)),
    fallback: 15
  }),
  shutdownDelay_s: variable("SHUTDOWN_DELAY", {
    expected: "a whole number of seconds from 0 to 300",
    read: integer(0, 300),
    fallback: 0
  }),
  otlpEndpoint: variable("OTEL_EXPORTER_OTLP_ENDPOINT", {
    expected: "an address like http://collector:4318",
    read: urlWithProtocol("http:", "https:"),
    fallback: null
  }),
  otlpHeaders: variable("OTEL_EXPORTER_OTLP_HEADERS", {
    expected: "name=value pairs separated by commas, such as authorization=Bearer%20abc",
    read: headerPairs,
    fallback: {},
    secret: true
  })
}

type Variables = typeof operationsVariables
type Values = { readonly [Name in keyof Variables]: Effect.Success<Variables[Name]> }

export const operationsOf = (values: Values) => ({
  /** The address for health and metrics. Null if turned off. */
  ops:
    values.opsPort === off
      ? null
      : {
          host: values.opsHost,
          port: values.opsPort ?? opsPort_default,
          /** Whether the operator chose the port. If the default port is taken, the service starts without an operations port. */
          wanted: values.opsPort !== null
        },
  /** Interval of audits. Null if turned off. */
  auditEvery: values.auditEvery_min === off ? null : Duration.minutes(values.auditEvery_min),
  /** How long a stopping process still accepts calls, so that load balancers notice the stop in time. */
  shutdownDelay: Duration.seconds(values.shutdownDelay_s),
  /** The collector for traces and logs. Null if none is configured. */
  otlp:
    values.otlpEndpoint === null
      ? null
      : { url: values.otlpEndpoint.replace(/\/+$/, ""), headers: Redacted.make(values.otlpHeaders) }
})
