import { Duration, type Effect, Redacted } from "effect"
import { address, integer, matching, type Reading, variable } from "./Variable.ts"

/** What whoever runs the service sets for watching and stopping it. */

const opsPort_default = 9464

const off = "off" as const

/** What a reading reads, or that it is not wanted. */
const orOff =
  <A>(read: Reading<A>): Reading<A | typeof off> =>
  (text) =>
    text.toLowerCase() === off ? off : read(text)

/** `name=value` pairs parted by commas, their values escaped as in a URL: OpenTelemetry's own form. */
const headers: Reading<Readonly<Record<string, string>>> = (text) => {
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
  opsPort: variable("OPS_PORT", {
    expected: "a port from 0 to 65535, 0 for any free one, or off",
    read: orOff(integer(0, 65_535)),
    fallback: null
  }),
  // Whoever can read the metrics knows how much is sold.
  opsHost: variable("OPS_HOST", {
    expected: "an address to listen on",
    read: matching(/^[\w.:-]+$/),
    fallback: "127.0.0.1"
  }),
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
    read: address("http:", "https:"),
    fallback: null
  }),
  otlpHeaders: variable("OTEL_EXPORTER_OTLP_HEADERS", {
    expected: "name=value pairs parted by commas, such as authorization=Bearer%20abc",
    read: headers,
    fallback: {},
    secret: true
  })
}

type Variables = typeof operationsVariables
type Values = { readonly [Name in keyof Variables]: Effect.Success<Variables[Name]> }

export const operationsOf = (values: Values) => ({
  /** Where health and metrics are told; null for nowhere. */
  ops:
    values.opsPort === off
      ? null
      : {
          host: values.opsHost,
          port: values.opsPort ?? opsPort_default,
          /** One that nobody asked for must not keep the service from starting. */
          wanted: values.opsPort !== null
        },
  /** How often the invariants are proved; null for never. */
  auditEvery: values.auditEvery_min === off ? null : Duration.minutes(values.auditEvery_min),
  /** How long a process that was told to stop goes on taking calls, so that whoever sends them hears of it. */
  shutdownDelay: Duration.seconds(values.shutdownDelay_s),
  /** Where traces and logs go, beside the log; null for nowhere. */
  otlp:
    values.otlpEndpoint === null
      ? null
      : { url: values.otlpEndpoint.replace(/\/+$/, ""), headers: Redacted.make(values.otlpHeaders) }
})
