import { Effect } from "effect"
import { companies_max } from "../support/Companies.ts"
import { type Goal, latency, rate } from "../support/Figures.ts"
import { largeCompany, salesOf, smallCompany } from "../support/History.ts"
import type { Options } from "../support/Progress.ts"
import { type Book, length_s, play } from "../support/Rounds.ts"
import type { Service } from "../support/Services.ts"
import { readByCompany, saleBySaldo } from "../support/Shape.ts"

/** A server, and what was answered by it. */
export interface Booked {
  readonly service: Service
  readonly book: Book
}

const asFast: Goal = { is: "at least", value: 0.9 }
const asQuick: Goal = { is: "at most", value: 2 }

const selling = [
  { what: "Sales of 1,000 companies", companies: companies_max },
  { what: "Sales of one busy company", companies: 1 }
]

const perPage = 50
const deepest = 1_000

/** The page a thousand of a company, or nearly its last. */
const deepPage = (company: number, rows: number): number =>
  Math.max(1, Math.min(deepest, Math.floor((0.9 * salesOf(company, rows)) / perPage)))

const page = (path: string, number: number) => `${path}?page=${number}&per_page=${perPage}`

const lists = [
  { what: "Sales", path: "/v1/transacciones" },
  { what: "Statement", path: "/v1/movimientos" }
]

/** What a company with many sales reads, and what it asks of one with few. */
const readings = (rows: number) => [
  ...lists.flatMap(({ path, what }) => [
    { what: `${what}, first page`, path: () => page(path, 1) },
    {
      what: `${what}, page ${deepPage(largeCompany, rows)}`,
      path: (company: number) => page(path, deepPage(company, rows))
    }
  ]),
  { what: "Balance", path: () => "/v1/saldo" }
]

const reading_s = 2

export const comparisonLength_s = (options: Options): number =>
  selling.length * length_s(options) + readings(0).length * length_s({ ...options, seconds: reading_s })

/** Sales with a history against sales without one. */
export const sellWithHistory = (full: Booked, empty: Booked, { connections, seconds }: Options) =>
  Effect.forEach(selling, ({ companies, what }) => {
    const side = ({ book, service: { pid, url } }: Booked, name: string) => ({
      name,
      urls: [url],
      pid,
      shape: saleBySaldo(companies),
      book
    })
    return Effect.map(
      play({ what, ours: side(full, "full"), theirs: side(empty, "empty"), connections, seconds }),
      (rounds) => rate(`${what}, against an empty database`, asFast, rounds)
    )
  })

/** What a company with a long history reads against what one with a short history reads. */
export const readWithHistory = ({ service: { url } }: Booked, rows: number) =>
  Effect.forEach(readings(rows), ({ path, what }) => {
    const side = (company: number, name: string) => ({
      name,
      urls: [url],
      pid: null,
      shape: readByCompany(path(company), company)
    })
    return Effect.map(
      play({
        what,
        ours: side(largeCompany, "large company"),
        theirs: side(smallCompany, "small company"),
        connections: 1,
        seconds: reading_s
      }),
      (rounds) => latency(`${what}, median, against a small company`, "p50_ms", asQuick, rounds)
    )
  })
