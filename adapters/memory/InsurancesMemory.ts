import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Option, Redacted, Result } from "effect"
import { InsuranceId } from "../../core/domain/Ids.ts"
import type { Insurance } from "../../core/domain/Insurance.ts"
import { CodeBlocked, type PhoneLimited } from "../../core/domain/InsuranceErrors.ts"
import { afterEvent, StepOutOfOrder } from "../../core/domain/InsuranceState.ts"
import { attempts_max, mayResend } from "../../core/domain/OneTimeCode.ts"
import { countsMessages, messagesCounted, phoneLimitReached } from "../../core/domain/PhoneLimits.ts"
import type { Order } from "../../core/domain/Sale.ts"
import { type BuyerStep, type CodeToSend, Insurances, type NewInsurance } from "../../core/ports/Insurances.ts"
import type { StagedSms } from "../../core/ports/Outbox.ts"
import * as VaultAead from "../crypto/VaultAead.ts"
import { DataKey } from "../crypto/VaultAead.ts"
import { Books, type CodeEntry, type CompanyBooks } from "./Books.ts"

type Phones = Books["Service"]["messagesTo"]

/** Returns the insurance. Throws if it does not exist. */
const insuranceOf = ({ insurances }: CompanyBooks, id: InsuranceId): Insurance => {
  const insurance = insurances.get(id)
  if (insurance === undefined) throw new Error(`insurance ${id} does not exist`)
  return insurance
}

const codesOf = ({ codes }: CompanyBooks, id: InsuranceId): CodeEntry => {
  const known = codes.get(id)
  if (known === undefined) throw new Error(`insurance ${id} does not exist`)
  return known
}

/** Counts a message to a phone, or fails if a limit forbids the message. */
const countMessage = (
  phones: Phones,
  { environment }: Pick<Insurance, "environment">,
  { at, message: { to } }: StagedSms
): Result.Result<void, PhoneLimited> => {
  if (!countsMessages(environment)) return Result.void
  const queued = phones.get(to) ?? []
  const reached = phoneLimitReached(queued, at)
  if (reached !== null) return Result.fail(reached)
  phones.set(to, [at, ...queued].slice(0, messagesCounted))
  return Result.void
}

const stage = (
  { messages }: CompanyBooks,
  { companyId, environment, id }: Insurance,
  { at, expiresAt, leasedUntil, message }: StagedSms
): void => {
  messages.set(message.id, {
    sms: { companyId, insuranceId: id, environment, message, createdAt: at, expiresAt, tries: 1 },
    status: "staged",
    detail: null,
    sendAt: at,
    askAt: null,
    leasedUntil
  })
}

const createIn = (
  books: CompanyBooks,
  phones: Phones,
  id: InsuranceId,
  beginning: NewInsurance,
  { code, sms }: CodeToSend
) =>
  Result.map(countMessage(phones, beginning, sms), () => {
    const insurance: Insurance = {
      ...beginning,
      id,
      state: "iniciada",
      version: null,
      plan: null,
      offeredExtras: [],
      quote: null,
      transactionId: null,
      policy: null
    }
    books.insurances.set(id, insurance)
    books.codes.set(id, { code, attempts: 0, resends: 0, undelivered: 0 })
    stage(books, insurance, sms)
    return insurance
  })

const resendIn = (books: CompanyBooks, phones: Phones, id: InsuranceId, { code, sms }: CodeToSend) =>
  Result.gen(function* () {
    const insurance = insuranceOf(books, id)
    yield* afterEvent(insurance.state, "code_resent")
    const known = codesOf(books, id)
    if (known.attempts === attempts_max || !mayResend(known)) return yield* Result.fail(new CodeBlocked())
    yield* countMessage(phones, insurance, sms)
    books.codes.set(id, { ...known, code, resends: known.resends + 1 })
    // Drops SMS that were not sent yet, because the codes in them are no longer valid.
    for (const [name, entry] of books.messages) {
      if (entry.sms.insuranceId !== id || entry.status !== "staged") continue
      books.messages.set(name, { ...entry, sms: { ...entry.sms, expiresAt: sms.at } })
    }
    stage(books, insurance, sms)
  })

const attemptIn = (books: CompanyBooks, id: InsuranceId) =>
  Result.gen(function* () {
    yield* afterEvent(insuranceOf(books, id).state, "code_verified")
    const known = codesOf(books, id)
    if (known.attempts === attempts_max) return yield* Result.fail(new CodeBlocked())
    const attempts = known.attempts + 1
    books.codes.set(id, { ...known, attempts })
    return { code: known.code, attemptsLeft: attempts_max - attempts }
  })

/**
 * The changes that a step makes to an insurance. Null if the buyer has chosen another version or plan after the step
 * began.
 */
const changesOf = (step: BuyerStep, { plan, version }: Insurance): Partial<Insurance> | null => {
  switch (step.event) {
    case "code_verified":
      return {}
    case "plan_chosen":
      return { version: step.version, plan: step.plan, offeredExtras: step.extras, quote: null }
    case "quoted":
      return version?.id === step.version && plan?.code === step.plan ? { quote: step.quote } : null
  }
}

const advanceIn = (books: CompanyBooks, id: InsuranceId, step: BuyerStep) =>
  Result.gen(function* () {
    const before = insuranceOf(books, id)
    const state = yield* afterEvent(before.state, step.event)
    const changes = changesOf(step, before)
    if (changes === null) return yield* Result.fail(new StepOutOfOrder({ state: before.state }))
    const after: Insurance = { ...before, ...changes, state }
    books.insurances.set(id, after)
    return after
  })

const beginIssueIn = ({ insurances }: CompanyBooks, { transactionId }: Order): boolean => {
  const insurance = [...insurances.values()].find((each) => each.transactionId === transactionId)
  if (insurance === undefined) return false
  const state = afterEvent(insurance.state, "issuing")
  if (Result.isSuccess(state)) insurances.set(insurance.id, { ...insurance, state: state.success })
  return Result.isSuccess(state)
}

// Each method works in one synchronous step, so that no other fiber sees a partial change.
const make = Effect.map(Books, ({ messagesTo, nextInsuranceId, of }) =>
  Insurances.of({
    nextId: () => Effect.sync(() => InsuranceId.make(nextInsuranceId())),
    create: (id, insurance, first) =>
      Effect.suspend(() => Effect.fromResult(createIn(of(insurance.companyId), messagesTo, id, insurance, first))),
    find: (companyId, id) => Effect.sync(() => Option.fromUndefinedOr(of(companyId).insurances.get(id))),
    resend: (companyId, id, next) =>
      Effect.suspend(() => Effect.fromResult(resendIn(of(companyId), messagesTo, id, next))),
    attempt: (companyId, id) => Effect.suspend(() => Effect.fromResult(attemptIn(of(companyId), id))),
    advance: (companyId, id, step) => Effect.suspend(() => Effect.fromResult(advanceIn(of(companyId), id, step))),
    beginIssue: (order) => Effect.sync(() => beginIssueIn(of(order.companyId), order))
  })
)

/** `Insurances` in memory, built on the rules of core/domain. Tests compare the Postgres adapter with it. */
export const insurancesLayer = Layer.effect(Insurances, make)

const publicDataKey = Layer.succeed(DataKey, { bytes: Redacted.make(new Uint8Array(32)), protected: false })

/** A vault with a public data key, for stores that keep no data. */
export const vaultLayer = VaultAead.layer.pipe(Layer.provide(Layer.merge(publicDataKey, NodeCrypto.layer)))
