import { DateTime, Effect, Layer } from "effect"
import * as ConfiguredServices from "../../adapters/ConfiguredServices.ts"
import * as Memory from "../../adapters/memory/Memory.ts"
import { exampleLookup, simulatedProvider } from "../../adapters/provider/SimulatedProvider.ts"
import { FloatAnswer } from "../../core/domain/Float.ts"
import { periodsAt } from "../../core/domain/LocalTime.ts"
import { LookupAnswer } from "../../core/domain/Lookup.ts"
import { Amount } from "../../core/domain/Money.ts"
import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { ReversalAnswer } from "../../core/domain/Reversal.ts"
import { DispatchAnswer } from "../../core/domain/Sale.ts"
import { Availability, type Service } from "../../core/domain/Service.ts"
import { Accounts } from "../../core/ports/Accounts.ts"
import { type AuditEvent, AuditLog } from "../../core/ports/AuditLog.ts"
import { Catalogue } from "../../core/ports/Catalogue.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { type Provider, Providers } from "../../core/ports/Provider.ts"
import { Transactions } from "../../core/ports/Transactions.ts"
import { InFlight } from "../../core/workflows/InFlight.ts"
import type { Recovered } from "../../core/workflows/Recover.ts"
import { company, intent, packages } from "./Examples.ts"

/** Makes the first calls fail as if the database were unavailable. Later calls run normally. */
export const unavailableFor = (times: number) => {
  let left = times
  return <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => (left-- > 0 ? Effect.die(new Error("database gone")) : call))
}

/** Makes the first settlements of sales or reversals fail as if the database were unavailable. */
export const settlingFails = (times: number) => {
  const orGone = unavailableFor(times)
  return <Settlement, Settled, Port>(
    port: Port & { readonly settle: (settlement: Settlement) => Effect.Effect<Settled> }
  ) => ({ ...port, settle: (settlement: Settlement) => orGone(port.settle(settlement)) })
}

/**
 * A catalogue of the services that the array contains when the catalogue is read. Every company may sell all of them.
 */
export const catalogueOf = (services: ReadonlyArray<Service>) =>
  Layer.succeed(Catalogue, {
    services: () => Effect.sync(() => [...services]),
    find: (_, serviceId) =>
      Effect.sync(() => {
        const service = services.find(({ id }) => id === serviceId)
        return service === undefined ? Availability.Unknown() : Availability.Available({ service })
      }),
    packages: (serviceId) => Effect.succeed(packages.filter((each) => each.serviceId === serviceId))
  })

export const delivery = { authCode: "SBX1", rechargeToken: null }

/** Changes the behaviour of the ledger, for example to make it slow or unavailable. */
export type Fault = (ledger: Ledger["Service"]) => Ledger["Service"]

/**
 * Services in memory: a ledger, a provider that delivers unless the test changes its behaviour, and a record of all
 * calls to the provider.
 */
export const world = (behaviour: Partial<Provider> = {}, fault: Fault = (ledger) => ledger) => {
  const dispatched: Array<string> = []
  const asked: Array<{ readonly xid: string; readonly at_s: number }> = []
  const audited: Array<AuditEvent> = []
  const provider: Provider = {
    knows: (reference) => behaviour.knows?.(reference) ?? true,
    dispatch: (order) =>
      Effect.suspend(() => {
        dispatched.push(order.xid)
        return behaviour.dispatch?.(order) ?? Effect.succeed<DispatchAnswer>(DispatchAnswer.Delivered({ delivery }))
      }),
    status: (order) =>
      Effect.flatMap(DateTime.now, (now) => {
        asked.push({ xid: order.xid, at_s: DateTime.toEpochMillis(now) / 1000 })
        return behaviour.status?.(order) ?? Effect.succeed(StatusAnswer.Unknown())
      }),
    reverse: (reversal) => behaviour.reverse?.(reversal) ?? Effect.succeed(ReversalAnswer.Confirmed()),
    reversalStatus: (reversal) => behaviour.reversalStatus?.(reversal) ?? Effect.succeed(ReversalAnswer.Unknown()),
    lookup: (query) => behaviour.lookup?.(query) ?? Effect.succeed(LookupAnswer.NoAnswer()),
    float: behaviour.float ?? Effect.succeed(FloatAnswer.NotOffered())
  }
  const ledger = Layer.effect(Ledger, Effect.map(Ledger, fault))
  const layer = Layer.mergeAll(
    Layer.provideMerge(ledger, Layer.fresh(Memory.layer)),
    Layer.fresh(InFlight.layer),
    Layer.succeed(AuditLog, {
      record: (event) =>
        Effect.sync(() => {
          const known = event.once !== undefined && audited.some(({ once }) => once === event.once)
          if (!known) audited.push(event)
        })
    }),
    Layer.succeed(Providers, { serving: () => Effect.succeed(provider), simulator: simulatedProvider, exampleLookup }),
    ConfiguredServices.insurersLayer(null)
  )
  return { asked, audited, dispatched, layer, provider }
}

/** Deposits money for the company, 1000 pesos by default. */
export const fund = (centavos = 100_000, reference = "inicial") =>
  Effect.flatMap(DateTime.now, (at) =>
    Ledger.use((ledger) => ledger.deposit({ companyId: company.id, amount: Amount.make(centavos), reference, at }))
  )

/** Current balances of the company, in centavos. */
export const money = Effect.gen(function* () {
  const periods = periodsAt(yield* DateTime.now)
  const { balance, consumption } = yield* Accounts.use((accounts) => accounts.read(company.id, periods))
  return { available: balance.available as number, held: balance.held as number, consumed: consumption.daily as number }
})

/** Sales of the company, oldest first: xid and status. */
export const sales = Effect.map(
  Transactions.use((transactions) => transactions.list(company.id, {}, { page: 1, perPage: 1_000 })),
  ({ items }) => items.map(({ status, xid }) => [xid, status] as const).reverse()
)

/** The counts of a recovery. Counts that are not given are zero. */
export const tally = (counted: Partial<Recovered> = {}): Recovered => ({
  confirmed: 0,
  released: 0,
  reversed: 0,
  reversalsDenied: 0,
  stillUnknown: 0,
  notAsked: 0,
  ...counted
})

/** A provider that never answers a sale, and answers status queries as given. */
export const unansweredWithStatus = (status: Provider["status"]): Partial<Provider> => ({
  dispatch: () => Effect.succeed(DispatchAnswer.Unknown()),
  status
})

/** Reserves a sale and does not send it, as if the process died after the reservation. */
export const unsentSale = (key = "k1") => Ledger.use((ledger) => ledger.reserve(intent({ key })))
