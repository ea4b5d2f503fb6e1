import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, Deferred, Effect, Layer, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import * as PepperNode from "../../../adapters/crypto/PepperNode.ts"
import * as Sha256Node from "../../../adapters/crypto/Sha256Node.ts"
import * as Database from "../../../adapters/postgres/connection/Database.ts"
import * as CompaniesPostgres from "../../../adapters/postgres/directory/CompaniesPostgres.ts"
import * as TokenDirectoryPostgres from "../../../adapters/postgres/directory/TokenDirectoryPostgres.ts"
import * as TokensPostgres from "../../../adapters/postgres/directory/TokensPostgres.ts"
import * as AccountsPostgres from "../../../adapters/postgres/ledger/AccountsPostgres.ts"
import * as LedgerPostgres from "../../../adapters/postgres/ledger/LedgerPostgres.ts"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import { IdempotencyKey, Identifier } from "../../../core/domain/Ids.ts"
import { Amount } from "../../../core/domain/Money.ts"
import { DispatchAnswer } from "../../../core/domain/Sale.ts"
import { TokenDirectory } from "../../../core/ports/TokenDirectory.ts"
import { Tokens } from "../../../core/ports/Tokens.ts"
import { authenticate } from "../../../core/workflows/Authenticate.ts"
import { purchase } from "../../../core/workflows/Purchase.ts"
import { racers } from "../../support/Concurrency.ts"
import { TestDatabase, testDatabaseUrl, violatedInvariants } from "../../support/Database.ts"
import { eventually } from "../../support/Eventually.ts"
import { service } from "../../support/Examples.ts"
import { catalogueOf, delivery, world } from "../../support/InMemoryWorld.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { secret } from "../../support/service/InMemoryService.ts"

const rounds = 300
const price = Amount.make(10_000)

/** Opening balance of a test company in centavos. */
const money = 100_000

const foundation = Layer.merge(Sha256Node.layer, PepperNode.layer(null))

/** Ports of an operator's commands. */
const TestLayer = Layer.mergeAll(
  AccountsPostgres.accountsLayer,
  AuditPostgres.layer,
  CompaniesPostgres.layer,
  LedgerPostgres.layer,
  TokensPostgres.layer
).pipe(Layer.provideMerge(Layer.mergeAll(TestDatabase, SecureRandom.layerWebCrypto, foundation)))

/** Eight servers with separate caches, and one provider that answers after `gate.open` completes. */
const serversWithProvider = Effect.gen(function* () {
  const gate = { open: Deferred.makeUnsafe<void>() }
  const provider = world({
    dispatch: () => Effect.as(Deferred.await(gate.open), DispatchAnswer.Delivered({ delivery }))
  })
  // One of these connections is for the cache listener.
  const database = Database.layer({ url: Redacted.make(yield* testDatabaseUrl), connections_max: 3 })
  const server = Layer.mergeAll(TokenDirectoryPostgres.layer, LedgerPostgres.layer, catalogueOf([service])).pipe(
    Layer.provideMerge(provider.layer),
    Layer.provide(database),
    Layer.provideMerge(foundation),
    Layer.provide(SecureRandom.layerWebCrypto)
  )
  const servers = yield* Effect.all(Arr.makeBy(racers, () => Layer.build(Layer.fresh(server))))
  return { servers, dispatched: provider.dispatched, gate }
})

/** Authenticates a caller and sells, as a server does for a request. */
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

type Servers = Effect.Success<typeof serversWithProvider>["servers"]

/** Sells once on every server, concurrently. */
const selling = (servers: Servers, apiKey: string, key: string) =>
  Effect.forEach(servers, (server, racer) => Effect.result(Effect.provide(sell(apiKey, `${key} ${racer}`), server)), {
    concurrency: "unbounded"
  })

/** Waits until the server's cache contains the revoked state of the token. */
const knowsRevocation = (apiKey: string) =>
  TokenDirectory.use((directory) =>
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

/** Asserts that every sale was either delivered or refused as forbidden. Returns the number of delivered sales. */
const soldBy = (answers: ReadonlyArray<Effect.Success<ReturnType<typeof selling>>[number]>): number => {
  const sold = answers.filter(Result.isSuccess)
  assert.isTrue(sold.every(({ success: { outcome } }) => outcome._tag === "Delivered"))
  assert.isTrue(answers.filter(Result.isFailure).every(({ failure }) => failure._tag === "Forbidden"))
  return sold.length
}

layer(TestLayer, { excludeTestServices: true, timeout: "2 minutes" })("a token that eight servers accept", (it) => {
  it.effect.each([
    ["while all sales wait for the provider", true],
    ["while the sales start", false]
  ])(
    "completes each running sale once and starts no later sale when it is revoked %s",
    ([, atTheProvider]) =>
      Effect.gen(function* () {
        const { dispatched, gate, servers } = yield* serversWithProvider
        const tokens = yield* Tokens
        for (const round of Arr.range(1, rounds / 2)) {
          const { apiKey, companyId, tokenId } = yield* customer()
          gate.open = yield* Deferred.make<void>()
          const before = dispatched.length
          const allSent = eventually(
            Effect.sync(() => dispatched.length - before),
            (sent) => sent === racers
          )
          const revoked = Effect.gen(function* () {
            if (atTheProvider) yield* allSent
            yield* tokens.setState(tokenId, "revoked")
            yield* Effect.forEach(servers, (server) => Effect.provide(knowsRevocation(apiKey), server))
            const late = yield* selling(servers, apiKey, "late")
            yield* Deferred.succeed(gate.open, undefined)
            return soldBy(late)
          })
          const [answers, soldLate] = yield* Effect.all([selling(servers, apiKey, "sale"), revoked], {
            concurrency: "unbounded"
          })
          const sold = soldBy(answers)
          assert.strictEqual(soldLate, 0, `round ${round}`)
          if (atTheProvider) assert.strictEqual(sold, racers)
          const sent = dispatched.slice(before)
          assert.deepStrictEqual([sent.length, new Set(sent).size], [sold, sold])
          assert.deepStrictEqual(yield* booksOf(companyId), {
            available: money - sold * price,
            held: 0,
            sales: sold,
            delivered: sold,
            keys: sold
          })
        }
        assert.deepStrictEqual(yield* violatedInvariants, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
