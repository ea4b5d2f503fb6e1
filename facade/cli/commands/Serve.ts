import cluster from "node:cluster"
import { randomUUID } from "node:crypto"
import { ConfigProvider, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import type { Started } from "../../Started.ts"
import { localUrl } from "../../settings/ListenAddress.ts"
import { expectedProcesses, processCount } from "../../settings/Processes.ts"
import { Settings } from "../../settings/Settings.ts"
import { CheckFailed, print } from "../terminal/Output.ts"

/** The text that a started server prints: its addresses and an example sale. */
const banner = (started: Started): string => {
  const base = baseUrl(started)
  const { sandbox } = started.settings
  const lines = [`Saldo is ready at ${base}`, `  docs         ${base}/docs`, `  data         ${started.place}`]
  if (started.ops !== null) lines.push(`  metrics      ${started.ops}/metrics`)
  if (started.console !== null) lines.push(`  console      ${started.console}`)
  const { processes } = started.settings
  if (processes > 1)
    lines.push(`  processes    ${processes}; "kill -HUP ${process.pid}" replaces them one after the other`)
  if (sandbox === null) return [...lines, ""].join("\n")
  const secret = Redacted.value(sandbox.secret)
  return [
    ...lines,
    `  api_key      ${sandbox.apiKey}`,
    `  api_secret   ${secret}`,
    "",
    "Sell a top-up of RD$ 100 in the sandbox:",
    "",
    `  curl -s${started.settings.tls === null ? "" : "k"} ${base}/v1/recargas \\`,
    `    -H 'Authorization: Bearer ${sandbox.apiKey}.${secret}' \\`,
    `    -H 'Idempotency-Key: ${randomUUID()}' \\`,
    "    -H 'Content-Type: application/json' \\",
    `    -d '{"service_id": 1, "identifier": "8095550123", "amount": 100}'`,
    ""
  ].join("\n")
}

/** The information in the banner, as JSON. */
const startedDocument = (started: Started) => {
  const base = baseUrl(started)
  const { sandbox } = started.settings
  return {
    url: base,
    docs: `${base}/docs`,
    data: started.place,
    operations: started.ops,
    console: started.console,
    processes: started.settings.processes,
    pid: process.pid,
    api_key: sandbox?.apiKey ?? null,
    api_secret: sandbox === null ? null : Redacted.value(sandbox.secret)
  }
}

const baseUrl = ({ port, settings: { http, tls } }: Started): string =>
  localUrl(tls === null ? "http" : "https", { host: http.host, port })

const announce = (started: Started) => print(startedDocument(started), banner(started))

/** No worker process could be started. */
class CannotServe extends Schema.TaggedError<CannotServe>()("CannotServe", { message: Schema.String }) {}

// Loads the server's modules only for this command. They are half of all modules, so the other commands start faster.
const oneProcess = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("../../ServerLayer.ts")),
    ({ httpServerLayer, workerLayer }) => (cluster.isWorker ? workerLayer : httpServerLayer(announce))
  )
)

// A worker that fails prints its error itself. The primary process prints an error only for a worker that a signal
// ended.
const severalProcesses = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("../../PrimaryLayer.ts")),
    ({ primaryLayer }) =>
      Layer.catchTag(primaryLayer(announce), "WorkerEnded", ({ pid, signal }) =>
        Layer.effectDiscard(
          Effect.fail(
            signal === null
              ? new CheckFailed()
              : new CannotServe({
                  message: `the worker process ${pid} was ended by ${signal} before it accepted calls`
                })
          )
        )
      )
  )
)

const server = Layer.unwrap(
  Settings.useSync(({ processes }) => (processes === 1 || cluster.isWorker ? oneProcess : severalProcesses)).pipe(
    Effect.provide(Settings.layer)
  )
)

const processes = Flag.String("processes").pipe(
  Flag.withMetavar("N|auto"),
  Flag.withDescription(
    `Worker processes that share the port: ${expectedProcesses}. auto: one for each core, except one for Postgres (default: PROCESSES, or 1)`
  ),
  Flag.filterMap(
    (text) => Option.fromNullishOr(processCount(text)),
    () => `Expected: ${expectedProcesses}`
  ),
  Flag.optional
)

/** Reads the settings with this number of processes instead of PROCESSES. */
const withProcesses = (count: number) =>
  Effect.updateService(ConfigProvider.ConfigProvider, (provider) =>
    ConfigProvider.orElse(ConfigProvider.fromUnknown({ PROCESSES: String(count) }), provider)
  )

export const serve = Command.make("serve", { processes }, ({ processes: count }) => {
  const serving = Layer.launch(server)
  return Option.isNone(count) ? serving : withProcesses(count.value)(serving)
}).pipe(
  Command.withDescription(
    "Serve the API. Without DATABASE_URL, starts an embedded Postgres with its data in DATA_DIR. First migrates and seeds the database, and prints an example sale. On Ctrl-C or SIGTERM, waits for the sales in progress and stops. With several processes, a process that dies is replaced, and SIGHUP replaces all of them one after the other without refusing a call, for example after an upgrade."
  ),
  Command.withShortDescription("Serve the API"),
  Command.withExamples([
    { command: "PORT=8080 saldo serve", description: "On a different port" },
    { command: "saldo serve --processes auto", description: "On all cores except one" }
  ])
)
