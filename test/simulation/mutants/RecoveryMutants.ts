import { Duration, Effect, Option } from "effect"
import { attempts_max } from "../../../core/domain/OneTimeCode.ts"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"
import { Answer, denialOf, type Order } from "../../../core/domain/Sale.ts"
import type { Provider } from "../../../core/ports/Provider.ts"
import { Activity } from "../engine/Faults.ts"
import { booksOf, byActivity, companyIn, type Mutant, portsMutant, runAfter, runBefore } from "./Mutant.ts"

/** Mutants of codes, messages, resolutions, deposits and adjustments. */
export const otherMutants: ReadonlyArray<Mutant> = [
  portsMutant("another code may be tried five times again", ({ insurances }, bench) => ({
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
  portsMutant("a message goes again that may have gone", ({ outbox }) => ({
    outbox: {
      ...outbox,
      claim: (claim) =>
        Effect.map(outbox.claim(claim), (claimed) => claimed.map((sms) => ({ ...sms, accounted: true })))
    }
  })),
  portsMutant("a claim takes a message that another sends", ({ outbox }, bench) => ({
    outbox: {
      ...outbox,
      claim: (claim) =>
        runBefore(() => {
          for (const { messages } of booksOf(bench).all())
            for (const [id, entry] of messages) messages.set(id, { ...entry, leasedUntil: null })
        }, outbox.claim(claim))
    }
  })),
  portsMutant("who proposes how something ended may confirm it", ({ resolutions }) => ({
    resolutions: {
      ...resolutions,
      find: (id) =>
        Effect.map(
          resolutions.find(id),
          Option.map((inDoubt) =>
            inDoubt.proposal === null
              ? inDoubt
              : { ...inDoubt, proposal: { ...inDoubt.proposal, proposedBy: "nobody" } }
          )
        )
    }
  })),
  portsMutant("an alert is never written", ({ record }) => ({
    record: (event) => (event.action.startsWith("late_") ? Effect.never : record(event))
  })),
  portsMutant("a deposit does not look at its reference", ({ ledger }, { sim }) => ({
    ledger: {
      ...ledger,
      deposit: (wanted) => ledger.deposit({ ...wanted, reference: `${wanted.reference} ${sim.world.now_ms}` })
    }
  })),
  portsMutant("an adjustment does not look at its reference", ({ adjustments }, bench) => ({
    adjustments: {
      adjust: (wanted) =>
        runBefore(() => {
          companyIn(bench, wanted.companyId).adjustments.delete(wanted.reference)
        }, adjustments.adjust(wanted))
    }
  }))
]

/** A mutant that misreads the answers of the provider. */
const providerMutant = (name: string, change: (provider: Provider) => Partial<Provider>): Mutant => ({
  name,
  on: "memory",
  variant: { around: (around) => ({ ...around, provider: { ...around.provider, ...change(around.provider) } }) }
})

const denied = (order: Order) => StatusAnswer.Refused({ refusal: denialOf(order) })

/** Mutants of recovery, and of orders and questions to the provider. */
export const recoveryMutants: ReadonlyArray<Mutant> = [
  providerMutant("what a provider does not know was refused", ({ status }) => ({
    status: (order) => Effect.map(status(order), (said) => (said._tag === "NotFound" ? denied(order) : said))
  })),
  providerMutant("what cannot be understood was refused", ({ dispatch }) => ({
    dispatch: (order) =>
      Effect.catchDefect(dispatch(order), () => Effect.succeed(Answer.Refused({ refusal: denialOf(order) })))
  })),
  providerMutant("what got no firm answer was not sent", ({ dispatch }) => ({
    dispatch: (order) => Effect.map(dispatch(order), (said) => (said._tag === "Unknown" ? Answer.NotSent() : said))
  })),
  providerMutant("recovery sends what a provider does not know", ({ dispatch, status }) => ({
    status: (order) =>
      Effect.tap(status(order), (said) =>
        said._tag === "NotFound" ? Effect.provideService(dispatch(order), Activity, "sale") : Effect.void
      )
  })),
  providerMutant("an operator's word counts more than the provider's", ({ status }) => ({
    status: (order) =>
      byActivity((activity) =>
        activity === "operator" ? Effect.as(status(order), StatusAnswer.Unknown()) : status(order)
      )
  })),
  {
    name: "a paused process sends what is no longer fresh",
    on: "memory",
    variant: {
      around: (around) => ({
        ...around,
        clock: { ...around.clock, monotonicTimeNanos: Effect.succeed(0n), monotonicTimeNanosUnsafe: () => 0n }
      })
    }
  },
  portsMutant("a claim has no lease", ({ reversals, unresolved }) => ({
    unresolved: { claim: (claim) => unresolved.claim({ ...claim, lease: Duration.zero }) },
    reversals: { ...reversals, claim: (claim) => reversals.claim({ ...claim, lease: Duration.zero }) }
  })),
  portsMutant("a claim takes what another has", ({ unresolved }, bench) => ({
    unresolved: {
      claim: (claim) =>
        runBefore(() => {
          for (const { sales } of booksOf(bench).all())
            for (const [id, sale] of sales) sales.set(id, { ...sale, leasedUntil: null })
        }, unresolved.claim(claim))
    }
  })),
  portsMutant("recovery forgets what is in process", ({ unresolved }, bench) => ({
    unresolved: {
      claim: (claim) =>
        runBefore(() => {
          for (const { sales } of booksOf(bench).all())
            for (const [id, sale] of sales) if (sale.status === "PROCESSING") sales.set(id, { ...sale, askAt: null })
        }, unresolved.claim(claim))
    }
  })),
  portsMutant("recovery gives up on what stays unknown", ({ ledger, unresolved }, bench) => ({
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
