import { Effect, Option } from "effect"
import { attempts_max } from "../../core/domain/OneTimeCode.ts"
import { after, andThen, booksOf, companyIn, type Mutant, portsMutant } from "./Mutant.ts"

/** Mutants of codes, messages, resolutions, deposits and adjustments. */
export const otherMutants: ReadonlyArray<Mutant> = [
  portsMutant("another code may be tried five times again", ({ insurances }, bench) => ({
    insurances: {
      ...insurances,
      resend: (companyId, id, next) =>
        andThen(insurances.resend(companyId, id, next), () => {
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
        andThen(insurances.attempt(companyId, id), ({ attemptsLeft }) => {
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
        after(() => {
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
        after(() => {
          companyIn(bench, wanted.companyId).adjustments.delete(wanted.reference)
        }, adjustments.adjust(wanted))
    }
  }))
]
