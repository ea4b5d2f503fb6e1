import { Duration, Effect, Option } from "effect"
import { post } from "../../../adapters/memory/Books.ts"
import { credit } from "../../../core/domain/Account.ts"
import { attempts_max } from "../../../core/domain/OneTimeCode.ts"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"
import { DispatchAnswer, denialOf, type Order } from "../../../core/domain/Sale.ts"
import type { Provider } from "../../../core/ports/Provider.ts"
import { Activity } from "../engine/Faults.ts"
import { booksOf, byActivity, companyIn, type Mutant, portsMutant, runAfter, runBefore } from "./Mutant.ts"

/** Mutants of verification codes, messages, resolutions, deposits and adjustments. */
export const otherMutants: ReadonlyArray<Mutant> = [
  portsMutant("a resent code resets the attempts", ({ insurances }, bench) => ({
    insurances: {
      ...insurances,
      resend: (companyId, id, next) =>
        runAfter(insurances.resend(companyId, id, next), () => {
          const { codes } = companyIn(bench, companyId)
          const known = codes.get(id)
          if (known !== undefined) codes.set(id, { ...known, attempts: 0 })
        })
    }
  })),
  portsMutant("the last attempt is not counted", ({ insurances }, bench) => ({
    insurances: {
      ...insurances,
      attempt: (companyId, id) =>
        runAfter(insurances.attempt(companyId, id), ({ attemptsLeft }) => {
          const { codes } = companyIn(bench, companyId)
          const known = codes.get(id)
          if (attemptsLeft === 0 && known !== undefined) codes.set(id, { ...known, attempts: attempts_max - 1 })
        })
    }
  })),
  portsMutant("a message with unknown delivery is sent again", ({ outbox }) => ({
    outbox: {
      ...outbox,
      claim: (claim) =>
        Effect.map(outbox.claim(claim), (claimed) => claimed.map((sms) => ({ ...sms, accounted: true })))
    }
  })),
  portsMutant("a claim ignores the leases of messages", ({ outbox }, bench) => ({
    outbox: {
      ...outbox,
      claim: (claim) =>
        runBefore(() => {
          for (const { messages } of booksOf(bench).all())
            for (const [id, entry] of messages) messages.set(id, { ...entry, leasedUntil: null })
        }, outbox.claim(claim))
    }
  })),
  portsMutant("an operator may confirm their own proposal", ({ resolutions }) => ({
    resolutions: {
      ...resolutions,
      find: (id) =>
        Effect.map(
          resolutions.find(id),
          Option.map((toResolve) =>
            toResolve.proposal === null
              ? toResolve
              : { ...toResolve, proposal: { ...toResolve.proposal, proposedBy: "turno-9" } }
          )
        )
    }
  })),
  portsMutant("an alert is never recorded", ({ record }) => ({
    record: (event) => (event.action.startsWith("late_") ? Effect.never : record(event))
  })),
  portsMutant("a deposit ignores its reference", ({ ledger }, { sim }) => ({
    ledger: {
      ...ledger,
      deposit: (wanted) => ledger.deposit({ ...wanted, reference: `${wanted.reference} ${sim.eventLoop.now_ms}` })
    }
  })),
  portsMutant("an adjustment ignores its reference", ({ adjustments }, bench) => ({
    adjustments: {
      adjust: (wanted) =>
        Effect.suspend(() => {
          const { adjustments: references, entries } = companyIn(bench, wanted.companyId)
          references.delete(wanted.reference)
          const place = entries.findIndex(
            ({ reference, type }) => type === "adjustment" && reference === wanted.reference
          )
          const entry = entries[place]
          if (entry === undefined) return adjustments.adjust(wanted)
          entries[place] = { ...entry, reference: "" }
          return Effect.onExit(adjustments.adjust(wanted), () =>
            Effect.sync(() => {
              entries[place] = entry
            })
          )
        })
    }
  }))
]

/** A mutant that misreads the answers of the provider. */
const providerMutant = (name: string, change: (provider: Provider) => Partial<Provider>): Mutant => ({
  name,
  on: "memory",
  variant: {
    environment: (environment) => ({
      ...environment,
      provider: { ...environment.provider, ...change(environment.provider) }
    })
  }
})

const denied = (order: Order) => StatusAnswer.Refused({ refusal: denialOf(order) })

/** Mutants of recovery, and of orders and questions to the provider. */
export const recoveryMutants: ReadonlyArray<Mutant> = [
  providerMutant("an order unknown to the provider is treated as refused", ({ status }) => ({
    status: (order) => Effect.map(status(order), (said) => (said._tag === "NotFound" ? denied(order) : said))
  })),
  providerMutant("an unreadable response is treated as a refusal", ({ dispatch }) => ({
    dispatch: (order) =>
      Effect.catchDefect(dispatch(order), () => Effect.succeed(DispatchAnswer.Refused({ refusal: denialOf(order) })))
  })),
  providerMutant("a sale without a firm response is treated as not sent", ({ dispatch }) => ({
    dispatch: (order) =>
      Effect.map(dispatch(order), (said) => (said._tag === "Unknown" ? DispatchAnswer.NotSent() : said))
  })),
  providerMutant("recovery sends an order unknown to the provider", ({ dispatch, status }) => ({
    status: (order) =>
      Effect.tap(status(order), (said) =>
        said._tag === "NotFound" ? Effect.provideService(dispatch(order), Activity, "sale") : Effect.void
      )
  })),
  providerMutant("an operator overrules the provider", ({ status }) => ({
    status: (order) =>
      byActivity((activity) =>
        activity === "operator" ? Effect.as(status(order), StatusAnswer.Unknown()) : status(order)
      )
  })),
  {
    name: "a process sends an old order after a pause",
    on: "memory",
    variant: {
      environment: (environment) => ({
        ...environment,
        clock: { ...environment.clock, monotonicTimeNanos: Effect.succeed(0n), monotonicTimeNanosUnsafe: () => 0n }
      })
    }
  },
  portsMutant("a claim has no lease", ({ reversals, unresolved }) => ({
    unresolved: { claim: (claim) => unresolved.claim({ ...claim, lease: Duration.zero }) },
    reversals: { ...reversals, claim: (claim) => reversals.claim({ ...claim, lease: Duration.zero }) }
  })),
  portsMutant("a claim ignores the leases of others", ({ unresolved }, bench) => ({
    unresolved: {
      claim: (claim) =>
        runBefore(() => {
          for (const { sales } of booksOf(bench).all())
            for (const [id, sale] of sales) sales.set(id, { ...sale, leasedUntil: null })
        }, unresolved.claim(claim))
    }
  })),
  portsMutant("later checks leave out refused sales", ({ followUps }) => ({
    followUps: {
      ...followUps,
      claim: (claim) =>
        Effect.map(
          followUps.claim(claim),
          (claimed) => claimed && { ...claimed, sales: claimed.sales.filter(({ status }) => status === "SUCCESS") }
        )
    }
  })),
  portsMutant("a contradiction of a settled sale returns its amount", ({ followUps }, bench) => ({
    followUps: {
      ...followUps,
      stands: (sale) =>
        runAfter(followUps.stands(sale), () => {
          const { amount, companyId } = sale.order
          const books = companyIn(bench, companyId)
          const posting = { id: -amount, type: "adjustment", amount, reference: sale.order.xid } as const
          post(books, credit(books.purse.balance, amount), posting, sale.order.createdAt)
        })
    }
  })),
  portsMutant("recovery never asks about sales in PROCESSING", ({ unresolved }, bench) => ({
    unresolved: {
      claim: (claim) =>
        runBefore(() => {
          for (const { sales } of booksOf(bench).all())
            for (const [id, sale] of sales) if (sale.status === "PROCESSING") sales.set(id, { ...sale, askAt: null })
        }, unresolved.claim(claim))
    }
  })),
  portsMutant("recovery gives up on orders unknown to the provider", ({ ledger, unresolved }, bench) => ({
    unresolved,
    ledger: {
      ...ledger,
      settle: (settlement) =>
        Effect.tap(ledger.settle(settlement), () =>
          Effect.sync(() => {
            const { companyId, transactionId } = settlement.order
            const { sales } = booksOf(bench).of(companyId)
            const sale = sales.get(transactionId)
            if (sale?.status === "PENDING" && settlement.notFound > 0)
              sales.set(transactionId, { ...sale, askAt: null })
          })
        )
    }
  }))
]
