import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Exit } from "effect"
import { CompanyId } from "../../core/domain/Ids.ts"
import { behindProxy } from "../support/BehindProxy.ts"
import { cuts } from "../support/CuttingProxy.ts"
import { TestDatabase } from "../support/Database.ts"
import { begunInsurance, codeToSend, newInsurance } from "../support/InsuranceStages.ts"
import { insurancesReplica, outboxReplica } from "../support/Insuring.ts"

const stateOf = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  return yield* sql`
    select
      g.state,
      g.code_hash as hash,
      g.attempts,
      g.resends,
      (select array_agg(s.status order by s.created_at, s.id) from cell.sms as s where s.company_id = g.company_id) as messages
    from cell.insurance as g
    where g.company_id = ${company}`
})

layer(TestDatabase, { excludeTestServices: true })("a connection cut", (it) => {
  it.effect.each(cuts)("%s of the beginning of an insurance leaves one, with one message", (cut) =>
    Effect.gen(function* () {
      const company = cuts.indexOf(cut) + 1
      const { connected, proxy } = yield* behindProxy
      const insurances = yield* Effect.provide(insurancesReplica, connected)
      const id = yield* insurances.nextId
      const first = yield* codeToSend()
      proxy.arm(cut, first.code.hash)
      const insurance = yield* insurances.create(id, yield* newInsurance(company), first)
      assert.strictEqual(proxy.cuts(), 1)
      assert.deepStrictEqual([insurance.id, insurance.state], [id, "iniciada"])
      assert.deepStrictEqual(yield* stateOf(company), [
        { state: "iniciada", hash: first.code.hash, attempts: 0, resends: 0, messages: ["staged"] }
      ])
    }).pipe(Effect.scoped)
  )

  it.effect.each(cuts)("%s of a resend leaves one code more, with one message more", (cut) =>
    Effect.gen(function* () {
      const company = cuts.indexOf(cut) + 11
      const { connected, proxy } = yield* behindProxy
      const insurances = yield* Effect.provide(insurancesReplica, connected)
      const { companyId, id } = yield* begunInsurance(insurances, company)
      const next = yield* codeToSend()
      proxy.arm(cut, next.code.hash)
      yield* insurances.resend(companyId, id, next)
      assert.strictEqual(proxy.cuts(), 1)
      assert.deepStrictEqual(yield* stateOf(company), [
        { state: "iniciada", hash: next.code.hash, attempts: 0, resends: 1, messages: ["staged", "staged"] }
      ])
    }).pipe(Effect.scoped)
  )

  it.effect.each(cuts)("%s of what became of a message notes it once", (cut) =>
    Effect.gen(function* () {
      const company = cuts.indexOf(cut) + 21
      const { connected, proxy } = yield* behindProxy
      const insurances = yield* Effect.provide(insurancesReplica, connected)
      const outbox = yield* Effect.provide(outboxReplica, connected)
      const id = yield* insurances.nextId
      const first = yield* codeToSend()
      yield* insurances.create(id, yield* newInsurance(company), first)
      const reference = `SM-${company}-gateway`
      proxy.arm(cut, reference)
      const { message } = first.sms
      const sms = { companyId: CompanyId.make(company), insuranceId: id, message }
      yield* outbox.record(sms, { _tag: "Sent", reference }, yield* DateTime.now)
      assert.strictEqual(proxy.cuts(), 1)
      assert.deepStrictEqual(yield* stateOf(company), [
        { state: "otp_enviado", hash: first.code.hash, attempts: 0, resends: 0, messages: ["sent"] }
      ])
    }).pipe(Effect.scoped)
  )

  // How often an attempt is counted must not depend on the network: who cannot hear whether it was counted, has failed.
  it.effect.each([
    ["before COMMIT", 0],
    ["after COMMIT", 1]
  ] as const)("%s of an attempt counts %d, and never twice", ([cut, attempts]) =>
    Effect.gen(function* () {
      const company = 31 + attempts
      const { connected, proxy } = yield* behindProxy
      const insurances = yield* Effect.provide(insurancesReplica, connected)
      const { companyId, id } = yield* begunInsurance(insurances, company)
      proxy.arm(cut, "attempts + 1")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(insurances.attempt(companyId, id))))
      assert.strictEqual(proxy.cuts(), 1)
      const [row] = yield* stateOf(company)
      assert.deepInclude(row, { attempts })
    }).pipe(Effect.scoped)
  )
})
