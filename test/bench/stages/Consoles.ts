import { Effect } from "effect"
import { companies_max } from "../support/Dataset.ts"
import { BenchmarkFailed } from "../support/Measure.ts"
import { costOf, latencyOf, type Measurement, rateOf } from "../support/Measurements.ts"
import { type LoadOptions, playRounds, roundsLength_s } from "../support/Rounds.ts"
import { startConsole } from "../support/Services.ts"
import { saleBySaldo } from "../support/Workload.ts"
import type { CountedDatabase } from "./Events.ts"

/** Number of operators who have the console open. */
const consoles = 4

/** How often a page of the console is refreshed. */
const refresh = "5 seconds"

const starting_s = 5

export const consolesLength_s = (options: LoadOptions): number => starting_s + roundsLength_s(options)

/** A signed-in browser. */
interface Browser {
  readonly url: string
  readonly cookie: string
}

/** Calls a procedure of the console. */
const call = (url: string, name: string, init: RequestInit, input: object) =>
  Effect.gen(function* () {
    const sent = JSON.stringify(input)
    const query = init.method === "POST" ? "" : `?input=${encodeURIComponent(sent)}`
    const response = yield* Effect.promise((signal) =>
      fetch(`${url}/api/${name}${query}`, { ...init, ...(init.method === "POST" && { body: sent }), signal })
    )
    yield* Effect.promise(() => response.arrayBuffer())
    if (response.status !== 200) {
      return yield* new BenchmarkFailed({ message: `${name} of the console got ${response.status}` })
    }
    return response
  })

/** Opens the console with the one-time link that its start has printed. */
const signIn = Effect.fnUntraced(function* (link: string) {
  const { hash, origin } = new URL(link)
  const headers = { "content-type": "application/json", origin }
  const response = yield* call(origin, "sesion.abrirEnlace", { method: "POST", headers }, { enlace: hash.slice(1) })
  const [cookie = ""] = (response.headers.get("set-cookie") ?? "").split(";")
  return { url: origin, cookie } satisfies Browser
})

/** The work of an open console: refreshes the panorama, and searches for sales. Runs until it is interrupted or fails. */
const use = ({ cookie, url }: Browser, number: number): Effect.Effect<never, BenchmarkFailed> => {
  const ask = (name: string, input: object) => call(url, name, { headers: { cookie } }, input)
  let searches = 0
  const once = Effect.gen(function* () {
    yield* ask("panorama.ver", { ambiente: "development" })
    searches += 1
    yield* ask("transacciones.listar", { buscar: `809${String(1000 * number + searches).padStart(6, "0")}3` })
    yield* ask("auditoria.listar", {})
    yield* Effect.sleep(refresh)
  })
  // The consoles were opened at different times.
  return Effect.andThen(Effect.sleep(`${number} seconds`), Effect.forever(once))
}

const useAll = (browser: Browser): Effect.Effect<never, BenchmarkFailed> =>
  Effect.andThen(
    Effect.all(
      Array.from({ length: consoles }, (_, number) => use(browser, number)),
      { concurrency: "unbounded", discard: true }
    ),
    Effect.never
  )

/** Compares sales while four consoles are open with sales without a console. The console is a separate process. */
export const measureConsoles = Effect.fnUntraced(function* (
  { database, saleCount, service: { pid, url } }: CountedDatabase,
  { connections, seconds }: LoadOptions
) {
  const browser = yield* signIn(yield* startConsole(database))
  const without = { name: "without", urls: [url], pid, shape: saleBySaldo(companies_max), saleCount }
  const what = `Sales of 1,000 companies with ${consoles} consoles open, against without`
  const rounds = yield* playRounds({
    what,
    ours: { ...without, name: "with consoles", beside: useAll(browser) },
    theirs: without,
    connections,
    seconds
  })
  return [
    rateOf(what, { is: "at least", value: 0.95 }, rounds),
    latencyOf("p99 of a sale with consoles open, against without", "p99_ms", null, rounds),
    ...costOf("Processor time of the database for these sales", "database_us", rounds)
  ] satisfies ReadonlyArray<Measurement>
}, Effect.scoped)
