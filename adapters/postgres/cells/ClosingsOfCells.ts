import { DateTime, Effect, Layer, Order, Stream } from "effect"
import type { Closing } from "../../../core/domain/Closing.ts"
import type { FundingProposal } from "../../../core/domain/FundingProposal.ts"
import type { Page } from "../../../core/domain/Page.ts"
import { Closings, type CompanyDay } from "../../../core/ports/Closings.ts"
import { FundingProposals } from "../../../core/ports/FundingProposals.ts"
import * as ClosingsPostgres from "../ledger/ClosingsPostgres.ts"
import * as FundingProposalsPostgres from "../ledger/FundingProposalsPostgres.ts"
import { perCell } from "./Cells.ts"
import { findIn, fromEach } from "./CellWork.ts"
import { mergedPage } from "./MergedPages.ts"

const oldestDayFirst = Order.combine(
  Order.mapInput(Order.String, ({ day }: CompanyDay) => day),
  Order.mapInput(Order.Number, ({ companyId }: CompanyDay) => companyId)
)

const newestDayFirst = Order.combine(
  Order.flip(Order.mapInput(Order.String, ({ content }: Closing) => content.day)),
  Order.mapInput(Order.Number, ({ content }: Closing) => content.companyId)
)

const closings = Effect.map(perCell(Closings, ClosingsPostgres.layer), ({ all, of, parts }) =>
  Closings.of({
    hasPassed: Effect.fnUntraced(function* (instant) {
      const answers = yield* fromEach(parts, (cell) => cell.hasPassed(instant))
      return answers.every((passed) => passed)
    }),
    unclosed: Effect.gen(function* () {
      const cells = yield* parts
      const answers = yield* fromEach(Effect.succeed(cells), (cell) => cell.unclosed)
      return {
        days: answers.flatMap(({ days }) => days).sort(oldestDayFirst),
        isComplete: answers.length === cells.length
      }
    }),
    end: (day) => Effect.flatMap(of(day.companyId), (cell) => cell.end(day)),
    figures: (day) => Effect.flatMap(of(day.companyId), (cell) => cell.figures(day)),
    add: (day, text) => Effect.flatMap(of(day.companyId), (cell) => cell.add(day, text)),
    before: (day) => Effect.flatMap(of(day.companyId), (cell) => cell.before(day)),
    find: (day) => Effect.flatMap(of(day.companyId), (cell) => cell.find(day)),
    list: (companyId, days, page) => Effect.flatMap(of(companyId), (cell) => cell.list(companyId, days, page)),
    all: (companyId, days) => Stream.unwrap(Effect.map(of(companyId), (cell) => cell.all(companyId, days))),
    chains: Stream.unwrap(Effect.map(all, (cells) => Stream.fromIterable(cells))).pipe(
      Stream.flatMap((cell) => cell.chains)
    ),
    ofCompanies: Effect.fnUntraced(function* (companyId, days, page) {
      const cells = companyId === undefined ? yield* all : [yield* of(companyId)]
      // A list of one day has only one row for each company, so all of them can be reached.
      const reach_max = days.from !== undefined && days.from === days.to ? Number.POSITIVE_INFINITY : undefined
      const read = (cell: (typeof cells)[number], wanted: Page) =>
        Effect.map(cell.ofCompanies(companyId, days, wanted), ({ items, total }) => ({ rows: items, total }))
      const { parts, rows } = yield* mergedPage(cells, page, newestDayFirst, read, reach_max)
      return { items: rows, total: parts.reduce((total, part) => total + part.total, 0) }
    })
  })
)

const newestFirst = Order.flip(
  Order.combine(
    Order.mapInput(DateTime.Order, (proposal: FundingProposal) => proposal.proposedAt),
    Order.mapInput(Order.Number, (proposal: FundingProposal) => proposal.number)
  )
)

const fundingProposals = Effect.map(perCell(FundingProposals, FundingProposalsPostgres.layer), ({ all, of, parts }) =>
  FundingProposals.of({
    // The number does not show the cell, because a company keeps its proposals when it moves.
    find: (number) => findIn(parts, (cell) => cell.find(number)),
    list: Effect.fnUntraced(function* (companyId, limit) {
      if (companyId !== null) return yield* (yield* of(companyId)).list(companyId, limit)
      const parts = yield* Effect.forEach(yield* all, (cell) => cell.list(null, limit))
      return parts.length === 1 ? parts.flat() : parts.flat().sort(newestFirst).slice(0, limit)
    }),
    propose: (request) => Effect.flatMap(of(request.companyId), (cell) => cell.propose(request)),
    confirm: (proposal, confirmation) =>
      Effect.flatMap(of(proposal.companyId), (cell) => cell.confirm(proposal, confirmation)),
    reject: (proposal, rejection) => Effect.flatMap(of(proposal.companyId), (cell) => cell.reject(proposal, rejection))
  })
)

/** The closings of days, over all cells. */
export const layer = Layer.effect(Closings, closings)

/** Proposals of deposits and adjustments for the operator, over all cells. */
export const proposalsLayer = Layer.effect(FundingProposals, fundingProposals)
