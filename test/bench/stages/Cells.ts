import { Context, Effect, Layer, Redacted } from "effect"
import { EmbeddedPostgres } from "../../../adapters/embedded/EmbeddedPostgres.ts"
import * as Database from "../../../adapters/postgres/connection/Database.ts"
import { nodeVariable } from "../../../adapters/postgres/connection/Nodes.ts"
import { addCell } from "../../../adapters/postgres/schema/AddCell.ts"
import { migrate } from "../../../adapters/postgres/schema/Migrations.ts"
import { copyDatabase, temporaryPostgres } from "../../support/EmbeddedDatabases.ts"
import { nodeAt } from "../../support/NodeCells.ts"
import { companies_max, openAccounts, registerCompanies } from "../support/Dataset.ts"
import { latencyOf, rateOf } from "../support/Measurements.ts"
import { type LoadOptions, playRounds, roundsLength_s } from "../support/Rounds.ts"
import { connectedTo, newDatabase, startSaldo } from "../support/Services.ts"
import { saleBySaldo } from "../support/Workload.ts"
import { checkSoundness, soundnessLength_s } from "./Soundness.ts"
import type { CountedService } from "./WithHistory.ts"

/** The cells of the companies. With a second server, the last two cells are on that server. */
const cells = ["cell", "norte", "sur", "este"]

/** Name of the second server. */
const node = "segundo"

export const cellsLength_s = (options: LoadOptions): number => 2 * (roundsLength_s(options) + soundnessLength_s)

const secondServer = Effect.gen(function* () {
  const { url } = Context.get(yield* Layer.build(Layer.fresh(temporaryPostgres)), EmbeddedPostgres)
  return yield* copyDatabase(Redacted.value(url), "template0", "cells")
})

/** Starts a server with companies in four cells. Without a URL of a second server, all cells are in one database. */
const startWithCells = Effect.fnUntraced(function* (name: string, second: string | null) {
  const database = yield* newDatabase(name)
  const placeOf = (index: number) => (second === null || index < 2 ? "main" : node)
  const nodes = second === null ? Layer.empty : nodeAt(node, second)
  yield* Effect.gen(function* () {
    yield* migrate
    yield* Effect.forEach(cells.slice(1), (cell, index) => addCell(cell, placeOf(index + 1)))
    yield* registerCompanies(cells)
  }).pipe(Effect.provide(Layer.merge(connectedTo(database), nodes)))
  const databases = [
    { url: database, cells: cells.filter((_, index) => placeOf(index) === "main") },
    ...(second === null ? [] : [{ url: second, cells: cells.filter((_, index) => placeOf(index) === node) }])
  ]
  for (const { cells: own, url } of databases)
    yield* Effect.provide(
      Effect.forEach(own, (cell) => openAccounts(cell, cells), { discard: true }),
      Database.layer({ url: Redacted.make(url), connections_max: 1 })
    )
  const variables = second === null ? {} : { [nodeVariable(node)]: second }
  const service = yield* startSaldo(database, null, variables)
  return { database, places: { databases, nodes: variables }, service, saleCount: { answered: 0 } }
})

/** Compares the sales of companies in four cells with the same sales in one cell. */
const compare = Effect.fnUntraced(function* (
  one: CountedService,
  { name, second, what }: { readonly name: string; readonly second: string | null; readonly what: string },
  { connections, seconds }: LoadOptions
) {
  const four = yield* startWithCells(name, second)
  const side = ({ saleCount, service: { pid, url } }: CountedService, name: string) => ({
    name,
    urls: [url],
    pid,
    shape: saleBySaldo(companies_max),
    saleCount
  })
  const rounds = yield* playRounds({
    what,
    ours: side(four, "four cells"),
    theirs: side(one, "one cell"),
    connections,
    seconds
  })
  const checks = yield* checkSoundness(name, four.database, four.saleCount, four.places)
  return { measurements: [rateOf(what, null, rounds), latencyOf(`p99: ${what}`, "p99_ms", null, rounds)], checks }
}, Effect.scoped)

/** Compares sales over four cells, on one Postgres server and on two, with sales in one cell. */
export const measureCells = Effect.fnUntraced(function* (one: CountedService, options: LoadOptions) {
  const sales = "Sales of 1,000 companies in four cells"
  const onOne = yield* compare(one, { name: "cells", second: null, what: `${sales}, against one cell` }, options)
  const second = yield* secondServer
  const onTwo = yield* compare(
    one,
    { name: "nodes", second, what: `${sales} on two servers, against one cell` },
    options
  )
  return {
    measurements: [...onOne.measurements, ...onTwo.measurements],
    checks: [...onOne.checks, ...onTwo.checks]
  }
}, Effect.scoped)
