import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, Deferred, Effect, Layer, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import * as DigestNode from "../../adapters/node/DigestNode.ts"
import * as PepperNode from "../../adapters/node/PepperNode.ts"
import * as AccountsPostgres from "../../adapters/postgres/AccountsPostgres.ts"
import * as AuditPostgres from "../../adapters/postgres/AuditPostgres.ts"
import * as CompaniesPostgres from "../../adapters/postgres/CompaniesPostgres.ts"
import * as DirectoryPostgres from "../../adapters/postgres/DirectoryPostgres.ts"
import * as LedgerPostgres from "../../adapters/postgres/LedgerPostgres.ts"
import * as TokensPostgres from "../../adapters/postgres/TokensPostgres.ts"
import { IdempotencyKey, Identifier } from "../../core/domain/Ids.ts"
import { Amount } from "../../core/domain/Money.ts"
import { Audit } from "../../core/ports/Audit.ts"
import { Catalogue } from "../../core/ports/Catalogue.ts"
import { Directory } from "../../core/ports/Directory.ts"
import { Answer } from "../../core/ports/Provider.ts"
import { Tokens } from "../../core/ports/Tokens.ts"
import { authenticate } from "../../core/workflows/Authenticate.ts"
import { purchase } from "../../core/workflows/Purchase.ts"
import { customer } from "../contract/support/Customer.ts"
import { eventually } from "../contract/support/Eventually.ts"
import { secret } from "../facade/support/Service.ts"
import { TestDatabase } from "../support/Database.ts"
import { service } from "../unit/support/Examples.ts"
import { delivery, world } from "../unit/support/World.ts"

const rounds = 300
const racers = 8
const price = Amount.make(10_000)
const money = 1_000_00

const foundation = Layer.merge(DigestNode.layer, PepperNode.layer(null))

/** What the operator works with. */
const TestLayer = Layer.mergeAll(
  AccountsPostgres.layer,
  AuditPostgres.layer,
  CompaniesPostgres.layer,
  LedgerPostgres.layer,
  TokensPostgres.layer
).pipe(Layer.provideMerge(Layer.mergeAll(TestDatabase, SecureRandom.layerWebCrypto, foundation)))

const catalogue = Layer.succeed(Catalogue, {
  services: () => Effect.succeed([service]),
  packages: () => Effect.succeed([])
})

/** Servers that know callers, and sell through one provider, which delivers when it is told to. */
const shops = Effect.gen(function* () {
  const gate = { open: Deferred.makeUnsafe<void>() }
  const provider = world({
    dispatch: () => Effect.as(Deferred.await(gate.open), Answer.Delivered({ delivery }))
  })
  const server = Layer.mergeAll(DirectoryPostgres.layer, LedgerPostgres.layer, catalogue).pipe(
    Layer.provideMerge(provider.layer),
    Layer.provideMerge(foundation),
    Layer.provide(SecureRandom.layerWebCrypto)
  )
  const all = yield* Effect.all(Arr.makeBy(racers, () => Layer.build(Layer.fresh(server))))
  return { all, dispatched: provider.dispatched, gate }
})

/** A call as a server takes it: who is it, and then the sale. */
const sell = Effect.fnUntraced(function* (apiKey: string, key: string) {
  const session = yield* authenticate({ apiKey, secret }, "127.0.0.1")
  return yield* purchase(session, {
    key: IdempotencyKey.make(key),
    serviceId: service.id,
    identifier: Identifier.make("8095551234"),
    amount: price,
    optionId: null,
    terminalId: null
  })
})

/** Waits until a server has heard of the revocation. */
const hasHeard = (apiKey: string) =>
  Directory.use((directory) =>
    eventually(
      directory.lookup(apiKey),
      (known) => known._tag === "Some" && known.value.session.token.state === "revoked"
    )
  )

const booksOf = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql`
    select
      b.available::int as available,
      b.held::int as held,
      (select count(*)::int from cell.transaction as t where t.company_id = b.company_id) as sales,
      (
        select count(*)::int from cell.transaction as t where t.company_id = b.company_id and t.status = 'SUCCESS'
      ) as delivered,
      (select count(*)::int from cell.idempotency as r where r.company_id = b.company_id) as keys
    from cell.balance as b
    where b.company_id = ${company}`
  return row
})

layer(TestLayer, { excludeTestServices: true, timeout: "2 minutes" })("a token that is revoked", (it) => {
  it.effect("while eight servers sell with it lets every sale end that has begun, and none begin once they know", () =>
    Effect.gen(function* () {
      const { all, dispatched, gate } = yield* shops
      const tokens = yield* Tokens
      for (const round of Arr.range(1, rounds)) {
        const { apiKey, companyId, tokenId } = yield* customer({ money: money / 100 })
        gate.open = yield* Deferred.make<void>()
        const before = dispatched.length
        const sales = Effect.forEach(
          all,
          (server, racer) => Effect.result(Effect.provide(sell(apiKey, `sale ${racer}`), server)),
          { concurrency: "unbounded" }
        )
        // Every other round the provider has all of them before the token is revoked; in the others they race with that.
        const revocation = Effect.gen(function* () {
          if (round % 2 === 0)
            yield* eventually(
              Effect.sync(() => dispatched.length - before),
              (sent) => sent === racers
            )
          yield* tokens.setState(tokenId, "revoked")
          yield* Effect.forEach(all, (server) => Effect.provide(hasHeard(apiKey), server), { concurrency: "unbounded" })
          const late = yield* Effect.forEach(
            all,
            (server, racer) => Effect.result(Effect.provide(sell(apiKey, `late ${racer}`), server)),
            { concurrency: "unbounded" }
          )
          yield* Deferred.succeed(gate.open, undefined)
          return late
        })
        const [answers, late] = yield* Effect.all([sales, revocation], { concurrency: "unbounded" })

        assert.isTrue(late.every((answer) => Result.isFailure(answer) && answer.failure._tag === "Forbidden"))
        const sold = answers.filter(Result.isSuccess)
        assert.isTrue(sold.every(({ success: { outcome } }) => outcome._tag === "Delivered"))
        const refused = answers.filter(Result.isFailure)
        assert.isTrue(refused.every(({ failure }) => failure._tag === "Forbidden"))
        if (round % 2 === 0) assert.lengthOf(sold, racers)
        const sent = dispatched.slice(before)
        assert.lengthOf(new Set(sent), sold.length)
        assert.lengthOf(sent, sold.length)
        const count = sold.length
        assert.deepStrictEqual(yield* booksOf(companyId), {
          available: money - count * price,
          held: 0,
          sales: count,
          delivered: count,
          keys: count
        })
      }
      const findings = yield* Audit.use((audit) => audit.prove)
      assert.isEmpty(findings.filter(({ violations }) => violations > 0))
    }).pipe(Effect.scoped)
  )
})
