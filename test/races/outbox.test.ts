import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { TestDatabase } from "../support/Database.ts"
import { insurance as example } from "../support/InsuranceExample.ts"
import { codeToSend, newInsurance } from "../support/InsuranceStages.ts"
import { insurancesReplica, outboxReplica } from "../support/Insuring.ts"

const staged = Effect.fnUntraced(function* (company: number) {
  const insurances = yield* insurancesReplica
  const letter = yield* codeToSend("771177 es su código")
  yield* insurances.create(yield* insurances.nextId, yield* newInsurance(company), letter)
  return letter.sms
}, Effect.scoped)

layer(TestDatabase, { excludeTestServices: true })("a message that nobody can read", (it) => {
  it.effect("keeps no other that is due with it from being sent, and is told of when it is of no use any more", () =>
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
