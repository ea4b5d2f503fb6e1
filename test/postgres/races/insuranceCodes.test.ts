import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Duration, Effect, Result } from "effect"
import { CompanyId } from "../../../core/domain/Ids.ts"
import type { Insurance } from "../../../core/domain/Insurance.ts"
import { Phone } from "../../../core/domain/Person.ts"
import type { TracedSms } from "../../../core/ports/Outbox.ts"
import { atOnce, inRounds, racers, racing, tagsOf } from "../../support/Concurrency.ts"
import { TestDatabase } from "../../support/Database.ts"
import {
  begunInsurance,
  codeToSend,
  insurance as example,
  messageLease,
  newInsurance
} from "../../support/InsuranceExample.ts"
import { insurancesReplica, outboxReplica } from "../../support/SalesOnPostgres.ts"

const rounds = 300

const insurers = racing(insurancesReplica)

const count = (tags: ReadonlyArray<string>, wanted: string) => tags.filter((tag) => tag === wanted).length

const countsOf = Effect.fnUntraced(function* ({ companyId }: Insurance) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ attempts: number; resends: number; messages: number; hash: string; state: string }>`
    select g.attempts, g.resends, g.code_hash as hash, g.state,
      (select count(*)::int from cell.sms as s where s.company_id = g.company_id) as messages
    from cell.insurance as g
    where g.company_id = ${companyId}`
  return row
})

layer(TestDatabase, { excludeTestServices: true, timeout: "2 minutes" })(
  "the verification code of an insurance",
  (it) => {
    it.effect("can be tried only five times, even by eight concurrent attempts", () =>
      Effect.gen(function* () {
        const all = yield* insurers
        yield* inRounds({ count: rounds, first: 1 }, (company) =>
          Effect.gen(function* () {
            const insurance = yield* begunInsurance(all[0], company)
            const { companyId, id } = insurance
            const results = yield* atOnce(all.map((insurances) => insurances.attempt(companyId, id)))
            const tags = tagsOf(results)
            assert.deepStrictEqual([count(tags, "done"), count(tags, "CodeBlocked")], [5, 3], `round ${company}`)
            const left = results.flatMap((result) => (Result.isSuccess(result) ? [result.success.attemptsLeft] : []))
            assert.deepStrictEqual(left.sort(), [0, 1, 2, 3, 4])
            assert.deepInclude(yield* countsOf(insurance), { attempts: 5 })
          })
        )
      }).pipe(Effect.scoped)
    )

    it.effect("is accepted once when eight requests send the code concurrently", () =>
      Effect.gen(function* () {
        const all = yield* insurers
        yield* inRounds({ count: rounds, first: 4_001 }, (company) =>
          Effect.gen(function* () {
            const insurance = yield* begunInsurance(all[0], company)
            const { companyId, id } = insurance
            const given = all.map(({ advance, attempt }) =>
              Effect.andThen(attempt(companyId, id), advance(companyId, id, { event: "code_verified" }))
            )
            const tags = tagsOf(yield* atOnce(given))
            const late = count(tags, "StepOutOfOrder") + count(tags, "CodeBlocked")
            assert.deepStrictEqual([count(tags, "done"), late], [1, racers - 1], `round ${company}: ${tags}`)
            assert.strictEqual((yield* countsOf(insurance))?.state, "otp_validado")
          })
        )
      }).pipe(Effect.scoped)
    )

    it.effect("is resent at most five times, even by eight concurrent requests, and only the last code is valid", () =>
      Effect.gen(function* () {
        const all = yield* insurers
        yield* inRounds({ count: 100, first: 1_001 }, (company) =>
          Effect.gen(function* () {
            const insurance = yield* begunInsurance(all[0], company)
            const { companyId, id } = insurance
            const codes = yield* Effect.forEach(all, () => codeToSend())
            const results = yield* atOnce(
              Arr.zipWith(all, codes, (insurances, code) =>
                Effect.as(insurances.resend(companyId, id, code), code.code.hash)
              )
            )
            const tags = tagsOf(results)
            assert.deepStrictEqual([count(tags, "done"), count(tags, "CodeBlocked")], [5, 3], `round ${company}`)
            const counts = yield* countsOf(insurance)
            assert.deepInclude(counts, { resends: 5, messages: 6 })
            assert.include(
              results.flatMap((result) => (Result.isSuccess(result) ? [result.success] : [])),
              counts?.hash
            )
          })
        )
      }).pipe(Effect.scoped)
    )

    it.effect(
      "is sent to one phone at most five times in an hour, even when eight companies request it concurrently",
      () =>
        Effect.gen(function* () {
          const all = yield* insurers
          yield* inRounds({ count: 100, first: 501 }, (round) =>
            Effect.gen(function* () {
              const phone = Phone.make(`809${String(round).padStart(7, "0")}`)
              const begin = Effect.fnUntraced(function* (insurances: (typeof all)[number], index: number) {
                const insurance = yield* newInsurance(round * 10 + index, { environment: "production" })
                return yield* insurances.create(
                  yield* insurances.nextId(insurance.companyId),
                  insurance,
                  yield* codeToSend(undefined, phone)
                )
              })
              const results = yield* atOnce(all.slice(0, 4).map(begin))
              const begun = results.flatMap((result) => (Result.isSuccess(result) ? [result.success] : []))
              assert.lengthOf(begun, 4, `round ${round}`)
              const next = yield* Effect.forEach(begun, () => codeToSend(undefined, phone))
              const tags = tagsOf(
                yield* atOnce([
                  ...all.slice(4).map((insurances, index) => Effect.asVoid(begin(insurances, index + 4))),
                  ...Arr.zipWith(begun, next, ({ companyId, id }, code) => all[0].resend(companyId, id, code))
                ])
              )
              assert.deepStrictEqual([count(tags, "done"), count(tags, "PhoneLimited")], [1, 7], `round ${round}`)
            })
          )
        }).pipe(Effect.scoped)
    )

    it.effect("is not resent after the attempts are used up", () =>
      Effect.gen(function* () {
        const all = yield* insurers
        yield* inRounds({ count: 100, first: 2_001 }, (company) =>
          Effect.gen(function* () {
            const insurance = yield* begunInsurance(all[0], company)
            const { companyId, id } = insurance
            const code = yield* codeToSend()
            const attempts = all.slice(1).map((insurances) => Effect.asVoid(insurances.attempt(companyId, id)))
            const [resent, ...attempted] = yield* atOnce([all[0].resend(companyId, id, code), ...attempts])
            const counts = yield* countsOf(insurance)
            assert.strictEqual(count(tagsOf(attempted), "done"), 5, `round ${company}`)
            const sent = Result.isSuccess(resent as Result.Result<void, unknown>)
            assert.deepInclude(counts, { attempts: 5, resends: sent ? 1 : 0, messages: sent ? 2 : 1 })
            assert.strictEqual(counts?.hash === code.code.hash, sent)
            assert.deepStrictEqual(tagsOf(yield* atOnce([all[0].resend(companyId, id, yield* codeToSend())])), [
              "CodeBlocked"
            ])
          })
        )
      }).pipe(Effect.scoped)
    )

    it.effect("is claimed for sending only once by eight concurrent senders", () =>
      Effect.gen(function* () {
        const senders = yield* racing(outboxReplica)
        const insurances = yield* insurancesReplica
        const staged = yield* Effect.forEach(Arr.range(3_001, 3_100), (company) => begunInsurance(insurances, company))
        const now = DateTime.addDuration(yield* DateTime.now, messageLease)
        const claim = { now, lease: Duration.seconds(30), limit: 20 }
        const exhaust = Effect.fnUntraced(function* (outbox: (typeof senders)[number]) {
          const taken: Array<number> = []
          while (true) {
            const claimed = yield* outbox.claim(claim)
            taken.push(...claimed.map(({ insuranceId }) => insuranceId))
            if (claimed.length === 0) return taken
          }
        })
        const taken = yield* Effect.forEach(senders, exhaust, { concurrency: "unbounded" })
        const ids = staged.map(({ id }) => Number(id))
        assert.deepStrictEqual(
          taken
            .flat()
            .filter((id) => ids.includes(id))
            .sort((left, right) => left - right),
          ids
        )
      }).pipe(Effect.scoped)
    )

    it.effect("is claimed once by eight processes that query its delivery, and a failed delivery is counted once", () =>
      Effect.gen(function* () {
        const outboxes = yield* racing(outboxReplica)
        const insurances = yield* insurancesReplica
        const now = yield* DateTime.now
        const lease = Duration.seconds(30)
        const accepted = yield* Effect.forEach(Arr.range(9_001, 9_050), (company) =>
          Effect.gen(function* () {
            const code = yield* codeToSend()
            const { companyId, id } = yield* insurances.create(
              yield* insurances.nextId(CompanyId.make(company)),
              yield* newInsurance(company),
              code
            )
            const sms = { companyId, insuranceId: id, message: code.sms.message }
            yield* outboxes[0].record(sms, { _tag: "Sent", reference: "SM1", askAt: now }, now)
            return code.sms.message.id
          })
        )
        const exhaust = Effect.fnUntraced(function* (outbox: (typeof outboxes)[number]) {
          const taken: Array<TracedSms> = []
          while (true) {
            const claimed = yield* outbox.claimTraced({ now, lease, limit: 5 })
            taken.push(...claimed)
            if (claimed.length === 0) return taken
          }
        })
        const taken = (yield* Effect.forEach(outboxes, exhaust, { concurrency: "unbounded" })).flat()
        assert.deepStrictEqual(taken.map(({ id }) => id).sort(), [...accepted].sort())
        yield* Effect.forEach(
          taken.flatMap((sms) => outboxes.map((outbox) => outbox.recordDelivery(sms, { _tag: "Failed", reason: "x" }))),
          (recording) => recording,
          { concurrency: "unbounded", discard: true }
        )
        const sql = yield* PgClient.PgClient
        assert.deepStrictEqual(
          yield* sql`select distinct undelivered from cell.insurance where company_id between 9001 and 9050`,
          [{ undelivered: 1 }]
        )
      }).pipe(Effect.scoped)
    )
  }
)

const staged = Effect.fnUntraced(function* (company: number) {
  const insurances = yield* insurancesReplica
  const letter = yield* codeToSend("771177 es su código")
  yield* insurances.create(yield* insurances.nextId(CompanyId.make(company)), yield* newInsurance(company), letter)
  return letter.sms
}, Effect.scoped)

layer(TestDatabase, { excludeTestServices: true })("an SMS that cannot be decrypted", (it) => {
  it.effect("does not block other due SMS, and is listed as failed after its code has expired", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const outbox = yield* outboxReplica
      const [unreadable, readable] = [yield* staged(7), yield* staged(7)]
      yield* sql`update cell.sms set sealed = '\\x00' where id = ${unreadable.message.id}::uuid`
      const now = DateTime.addDuration(unreadable.leasedUntil, Duration.minutes(1))
      const claimed = yield* outbox.claim({ now, lease: Duration.minutes(1), limit: 1 })
      assert.deepStrictEqual(
        claimed.map(({ message }) => [message.id, message.to]),
        [[readable.message.id, example.insured.phone]]
      )
      assert.isEmpty(yield* outbox.undelivered(10))
      const later = DateTime.addDuration(unreadable.expiresAt, Duration.minutes(5))
      yield* outbox.claim({ now: later, lease: Duration.minutes(1), limit: 1 })
      assert.deepStrictEqual(
        (yield* outbox.undelivered(10)).map(({ id, status }) => [id, status]),
        [[unreadable.message.id, "failed"]]
      )
    }).pipe(Effect.scoped)
  )
})
