import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer, Redacted } from "effect"
import * as PepperNode from "../../../adapters/crypto/PepperNode.ts"
import { TokenId } from "../../../core/domain/Ids.ts"
import { Tokens } from "../../../core/ports/Tokens.ts"
import { hashSecret } from "../../../core/workflows/Authenticate.ts"
import { rotateToken } from "../../../core/workflows/ManageTokens.ts"
import { eventually } from "../../support/Eventually.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { as, get } from "../../support/service/HttpCalls.ts"
import { secret } from "../../support/service/InMemoryService.ts"
import { anotherServer, TestServer, testServer } from "../../support/service/TestServer.ts"

const TOKEN_PEPPER = "0c".repeat(32)

const statusWith = (apiKey: string, given: string) =>
  get("/v1/saldo", as(apiKey, given)).pipe(Effect.map(({ status }) => status))

const rotated = (tokenId: TokenId, overlap: Duration.Input) =>
  Effect.map(rotateToken(tokenId, Duration.fromInputUnsafe(overlap)), (token) => Redacted.value(token.secret))

const usedAt = ({ companyId, tokenId }: Effect.Success<ReturnType<typeof customer>>) =>
  Tokens.use((tokens) => tokens.list(companyId)).pipe(
    Effect.map((tokens) => tokens.find(({ token }) => token.id === tokenId)?.usedAt ?? null)
  )

layer(TestServer, { excludeTestServices: true })("the secrets of a token (contract 5)", (it) => {
  it.effect("are both valid on every server until the overlap ends", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { apiKey, tokenId } = yield* customer()
      const elsewhere = yield* anotherServer()
      const onBothServers = (given: string) => [statusWith(apiKey, given), elsewhere(statusWith(apiKey, given))]
      // Puts the token into the caches of both servers. The clock stands still, so these entries do not expire.
      assert.deepStrictEqual(yield* Effect.all(onBothServers(secret)), [200, 200])
      const fresh = yield* rotated(tokenId, "1 hour")
      for (const server of onBothServers(fresh)) yield* eventually(server, (status) => status === 200)
      assert.deepStrictEqual(yield* Effect.all(onBothServers(secret)), [200, 200])
      yield* pass("3599 seconds")
      assert.deepStrictEqual(yield* Effect.all(onBothServers(secret)), [200, 200])
      // The cached entry contains the end of the overlap, so the cache rejects the old secret on time.
      yield* pass("1 seconds")
      assert.deepStrictEqual(yield* Effect.all(onBothServers(secret)), [401, 401])
      assert.deepStrictEqual(yield* Effect.all(onBothServers(fresh)), [200, 200])
    })
  )

  it.effect("are at most two, so a second rotation invalidates the oldest secret", () =>
    Effect.gen(function* () {
      const { apiKey, tokenId } = yield* customer()
      const elsewhere = yield* anotherServer()
      const onBothServers = (given: string) => [statusWith(apiKey, given), elsewhere(statusWith(apiKey, given))]
      const second = yield* rotated(tokenId, "1 hour")
      for (const server of onBothServers(second)) yield* eventually(server, (status) => status === 200)
      const third = yield* rotated(tokenId, "1 hour")
      for (const server of onBothServers(secret)) yield* eventually(server, (status) => status === 401)
      assert.deepStrictEqual(
        yield* Effect.all([...onBothServers(second), ...onBothServers(third)]),
        [200, 200, 200, 200]
      )
    })
  )

  it.effect("do not include the old secret after a rotation without overlap", () =>
    Effect.gen(function* () {
      const { apiKey, tokenId } = yield* customer()
      assert.strictEqual(yield* statusWith(apiKey, secret), 200)
      const fresh = yield* rotated(tokenId, 0)
      yield* eventually(statusWith(apiKey, secret), (status) => status === 401)
      assert.strictEqual(yield* statusWith(apiKey, fresh), 200)
    })
  )

  it.effect("are replaced by the configured secret when a server starts, if the token is the sandbox token", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const [sandbox] = yield* sql<{ id: number }>`
        select id::int from directory.token where api_key = 'sandbox_publico'`
      const tokenId = TokenId.make(sandbox?.id ?? 0)
      yield* rotated(tokenId, "1 hour")
      assert.lengthOf(yield* peppers(tokenId), 2)
      yield* anotherServer()
      assert.lengthOf(yield* peppers(tokenId), 1)
    })
  )

  it.effect("are checked first: only a call with a valid secret gets the 403 of a suspended token", () =>
    Effect.gen(function* () {
      const { apiKey, tokenId } = yield* customer()
      const fresh = yield* rotated(tokenId, "1 hour")
      yield* Tokens.use((tokens) => tokens.setState(tokenId, "suspended"))
      const expected: ReadonlyArray<readonly [string, number]> = [
        [fresh, 403],
        [secret, 403],
        ["otro", 401]
      ]
      for (const [given, status] of expected) assert.strictEqual(yield* statusWith(apiKey, given), status)
    })
  )
})

layer(TestServer, { excludeTestServices: true })("the last use of a token", (it) => {
  it.effect("is recorded at most once a minute", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const shop = yield* customer()
      const use = statusWith(shop.apiKey, secret)
      assert.isNull(yield* usedAt(shop))
      const first = yield* DateTime.now
      yield* use
      const known = yield* eventually(usedAt(shop), (at) => at !== null)
      assert.deepStrictEqual(known, first)
      // The second server reads the time of the first use from the database, and therefore writes nothing.
      const elsewhere = yield* anotherServer()
      yield* pass("59 seconds")
      yield* Effect.andThen(use, elsewhere(use))
      yield* pass("1 seconds")
      const later = yield* DateTime.now
      yield* use
      yield* eventually(usedAt(shop), (at) => at !== null && !DateTime.Equivalence(at, first))
      assert.deepStrictEqual(yield* usedAt(shop), later)
    })
  )

  it.effect("is not recorded for a rejected call", () =>
    Effect.gen(function* () {
      const refused = yield* customer({ token: { addresses: ["198.51.100.7"] } })
      const other = yield* customer()
      assert.deepStrictEqual(
        yield* Effect.all([
          statusWith(refused.apiKey, secret),
          statusWith(other.apiKey, "otro"),
          statusWith(other.apiKey, secret)
        ]),
        [403, 401, 200]
      )
      yield* eventually(usedAt(other), (at) => at !== null)
      assert.isNull(yield* usedAt(refused))
    })
  )

  it.effect("does not fail the call when it cannot be recorded", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const shop = yield* customer()
      yield* sql`alter table directory.token_use rename to token_use_gone`
      for (const _ of [1, 2, 3]) assert.strictEqual(yield* statusWith(shop.apiKey, secret), 200)
      yield* sql`alter table directory.token_use_gone rename to token_use`
    })
  )
})

/**
 * For each stored secret of a token: the id of the pepper with which it was hashed, or null if it was hashed without a
 * pepper. The current secret comes first, then the previous secret if there is one.
 */
const peppers = Effect.fnUntraced(function* (tokenId: TokenId) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ own: string | null; previous: string | null; two: boolean }>`
    select secret_pepper as own, previous_pepper as previous, previous_hash is not null as two
    from directory.token
    where id = ${tokenId}`
  return row?.two ? [row.own, row.previous] : [row?.own ?? null]
})

/** Hash of a secret, as a process without a pepper stores it. */
const hashedWithoutPepper = (given: string) =>
  hashSecret(Redacted.make(given)).pipe(Effect.provide(Layer.fresh(PepperNode.layer(null))))

const customerWithoutPepper = Effect.fnUntraced(function* () {
  const shop = yield* customer()
  const plain = yield* hashedWithoutPepper(secret)
  yield* Tokens.use((tokens) => tokens.rotate(shop.tokenId, () => Effect.succeed({ secret: plain, previous: null })))
  assert.deepStrictEqual(yield* peppers(shop.tokenId), [null])
  return shop
})

layer(testServer({ TOKEN_PEPPER }), { excludeTestServices: true })("with a pepper", (it) => {
  it.effect("a new secret is hashed with the pepper, and valid only on servers with that pepper", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { apiKey, tokenId } = yield* customer()
      assert.strictEqual(yield* statusWith(apiKey, secret), 200)
      const [row] = yield* sql`
        select secret_hash = sha256(convert_to(${secret}, 'UTF8')) as plain from directory.token where id = ${tokenId}`
      assert.deepStrictEqual([row?.["plain"], (yield* peppers(tokenId))[0]?.length], [false, 16])
      const expected: ReadonlyArray<readonly [Readonly<Record<string, string>>, number]> = [
        [{ TOKEN_PEPPER }, 200],
        [{ TOKEN_PEPPER: "0d".repeat(32) }, 401],
        [{}, 401]
      ]
      for (const [environment, status] of expected) {
        const elsewhere = yield* anotherServer(environment)
        assert.strictEqual(yield* elsewhere(statusWith(apiKey, secret)), status)
      }
    })
  )

  describe("a secret that was hashed without a pepper", () => {
    it.effect("is valid, and is hashed again with the pepper at its first use", () =>
      Effect.gen(function* () {
        const { apiKey, tokenId } = yield* customerWithoutPepper()
        yield* eventually(statusWith(apiKey, secret), (status) => status === 200)
        yield* eventually(peppers(tokenId), ([own]) => own !== null)
        assert.strictEqual(yield* statusWith(apiKey, secret), 200)
        assert.strictEqual(yield* statusWith(apiKey, "otro"), 401)
      })
    )

    it.effect("is hashed with the pepper at a rotation, and stays valid during the overlap", () =>
      Effect.gen(function* () {
        const { apiKey, tokenId } = yield* customerWithoutPepper()
        const fresh = yield* rotated(tokenId, "1 hour")
        const [own, previous] = yield* peppers(tokenId)
        assert.isString(own)
        assert.strictEqual(previous, own)
        for (const given of [fresh, secret]) yield* eventually(statusWith(apiKey, given), (status) => status === 200)
      })
    )
  })

  it.effect(
    "the first use of a previous secret hashes it again with the pepper, and leaves the current secret unchanged",
    () =>
      Effect.gen(function* () {
        const { apiKey, tokenId } = yield* customerWithoutPepper()
        const own = yield* hashedWithoutPepper("nuevo")
        const until = DateTime.add(yield* DateTime.now, { hours: 1 })
        yield* Tokens.use((tokens) =>
          tokens.rotate(tokenId, (current) => Effect.succeed({ secret: own, previous: { ...current, until } }))
        )
        yield* eventually(statusWith(apiKey, secret), (status) => status === 200)
        const [, pepper] = yield* eventually(peppers(tokenId), ([, previous]) => previous !== null)
        const sql = yield* PgClient.PgClient
        const kept = yield* sql`
        select secret_pepper as pepper, secret_hash = ${own.hash} as same from directory.token where id = ${tokenId}`
        assert.deepStrictEqual([pepper?.length, kept], [16, [{ pepper: null, same: true }]])
        for (const given of [secret, "nuevo"]) yield* eventually(statusWith(apiKey, given), (status) => status === 200)
      })
  )

  it.effect("the sandbox secret is valid on a server with the same pepper, another pepper or no pepper", () =>
    Effect.gen(function* () {
      const credentials = ["sandbox_publico", "sandbox_secreto_publico_2026"] as const
      assert.strictEqual(yield* statusWith(...credentials), 200)
      for (const environment of [{ TOKEN_PEPPER: "0d".repeat(32) }, {}, { TOKEN_PEPPER }]) {
        const elsewhere = yield* anotherServer(environment)
        assert.strictEqual(yield* elsewhere(statusWith(...credentials)), 200)
      }
    })
  )
})
