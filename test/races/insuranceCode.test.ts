import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Duration, Effect, Result } from "effect"
import type { Insurance } from "../../core/domain/Insurance.ts"
import { atOnce, tagsOf } from "../support/AtOnce.ts"
import { TestDatabase } from "../support/Database.ts"
import { begun, codeToSend, insurancesReplica, lease, outboxReplica } from "../support/Insuring.ts"

const racers = 8

/** Every racer has a server of its own: they meet in Postgres. */
const insurers = Effect.all(Arr.makeBy(racers, () => insurancesReplica))

const count = (tags: ReadonlyArray<string>, wanted: string) => tags.filter((tag) => tag === wanted).length

const countsOf = Effect.fnUntraced(function* ({ companyId }: Insurance) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ attempts: number; resends: number; messages: number; hash: string }>`
    select g.attempts, g.resends, g.code_hash as hash,
      (select count(*)::int from cell.sms as s where s.company_id = g.company_id) as messages
    from cell.insurance as g
    where g.company_id = ${companyId}`
  return row
})

layer(TestDatabase, { excludeTestServices: true, timeout: "2 minutes" })("the codes of one insurance", (it) => {
  it.effect("can be tried five times, by twelve attempts at once", () =>
    Effect.gen(function* () {
      const all = yield* insurers
      for (const company of Arr.range(1, 100)) {
        const insurance = yield* begun(all[0], company)
        const { companyId, id } = insurance
        const results = yield* atOnce(
          Arr.makeBy(
            12,
            (attempt) => all[attempt % racers]?.attempt(companyId, id) ?? Effect.die(new Error("no racer"))
          )
        )
        const tags = tagsOf(results)
        assert.deepStrictEqual([count(tags, "done"), count(tags, "CodeBlocked")], [5, 7], `round ${company}`)
        const left = results.flatMap((result) => (Result.isSuccess(result) ? [result.success.attemptsLeft] : []))
        assert.deepStrictEqual(left.sort(), [0, 1, 2, 3, 4])
        assert.deepInclude(yield* countsOf(insurance), { attempts: 5 })
      }
    }).pipe(Effect.scoped)
  )

  it.effect("are sent five times more, by eight resends at once, and the last one counts", () =>
    Effect.gen(function* () {
      const all = yield* insurers
      for (const company of Arr.range(1_001, 1_100)) {
        const insurance = yield* begun(all[0], company)
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
      }
    }).pipe(Effect.scoped)
  )

  it.effect("are not sent any more once the attempts are used up", () =>
    Effect.gen(function* () {
      const all = yield* insurers
      for (const company of Arr.range(2_001, 2_100)) {
        const insurance = yield* begun(all[0], company)
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
      }
    }).pipe(Effect.scoped)
  )

  it.effect("go out once, whichever of eight senders takes them", () =>
    Effect.gen(function* () {
      const senders = yield* Effect.all(Arr.makeBy(racers, () => outboxReplica))
      const insurances = yield* insurancesReplica
      const staged = yield* Effect.forEach(Arr.range(3_001, 3_100), (company) => begun(insurances, company))
      const now = DateTime.addDuration(yield* DateTime.now, lease)
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
})
