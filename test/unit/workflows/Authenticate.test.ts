import { createHash, createHmac } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as PepperNode from "../../../adapters/crypto/PepperNode.ts"
import * as Sha256Node from "../../../adapters/crypto/Sha256Node.ts"
import type { StoredSecret, Token } from "../../../core/domain/Token.ts"
import { Pepper } from "../../../core/ports/Pepper.ts"
import { TokenDirectory, type TokenUse } from "../../../core/ports/TokenDirectory.ts"
import { authenticate, wouldAccept } from "../../../core/workflows/Authenticate.ts"
import { company, session, token } from "../../support/Examples.ts"

const sha256 = (text: string) => new Uint8Array(createHash("sha256").update(text).digest())
const plain = (secret: string, until: StoredSecret["until"] = null): StoredSecret => ({
  hash: sha256(secret),
  pepper: null,
  until
})

const key = (byte: number) => new Uint8Array(32).fill(byte)
const nameOf = (byte: number) =>
  Effect.runSync(
    Effect.provide(
      Pepper.useSync(({ name }) => name),
      PepperNode.layer(Redacted.make(key(byte)))
    )
  )
const peppered = (secret: string, byte: number): StoredSecret => ({
  hash: new Uint8Array(createHmac("sha256", key(byte)).update(sha256(secret)).digest()),
  pepper: nameOf(byte),
  until: null
})

interface Kept {
  readonly token?: Partial<Token>
  readonly secrets?: ReadonlyArray<StoredSecret>
  /** The byte that fills the key of the pepper. */
  readonly pepper?: number | undefined
  readonly uses?: Array<TokenUse>
}

const world = ({ pepper, secrets = [plain("secreto")], token: changes = {}, uses = [] }: Kept) =>
  Layer.mergeAll(
    Sha256Node.layer,
    PepperNode.layer(pepper === undefined ? null : Redacted.make(key(pepper))),
    Layer.succeed(TokenDirectory, {
      lookup: (apiKey) =>
        Effect.succeed(
          apiKey === token.apiKey
            ? Option.some({ session: { company, token: { ...token, ...changes }, isClosed: false }, secrets })
            : Option.none()
        ),
      used: (use) => Effect.sync(() => void uses.push(use))
    })
  )

const login = (apiKey: string, secret: string, kept: Kept = {}) =>
  authenticate({ apiKey, secret }, "192.0.2.1").pipe(
    Effect.match({ onSuccess: () => "admitted", onFailure: ({ _tag }) => _tag }),
    Effect.provide(world(kept))
  )

describe("a caller", () => {
  it.effect("is authenticated as the company of its token", () =>
    authenticate({ apiKey: "colmado", secret: "secreto" }, "192.0.2.1").pipe(
      Effect.map((admitted) => expect(admitted).toEqual(session)),
      Effect.provide(world({}))
    )
  )

  it.effect.each([
    ["colmado", "secreto", {}, "admitted"],
    ["colmado", "otro", {}, "Unauthenticated"],
    ["colmado", "", {}, "Unauthenticated"],
    ["nadie", "secreto", {}, "Unauthenticated"],
    // Without the right secret, the response does not reveal the state of the token.
    ["colmado", "otro", { state: "revoked" }, "Unauthenticated"],
    ["colmado", "otro", { addresses: ["198.51.100.7"] }, "Unauthenticated"],
    ["colmado", "secreto", { state: "revoked" }, "Forbidden"],
    ["colmado", "secreto", { addresses: ["198.51.100.7"] }, "Forbidden"]
  ] as ReadonlyArray<readonly [string, string, Partial<Token>, string]>)(
    "is checked by the key %s, the secret %j and the token changes %j: %s",
    ([apiKey, secret, changes, expected]) =>
      Effect.gen(function* () {
        const uses: Array<TokenUse> = []
        expect(yield* login(apiKey, secret, { token: changes, uses })).toBe(expected)
        expect(uses.length).toBe(expected === "admitted" ? 1 : 0)
        const foreseen = wouldAccept({ apiKey, secret }, "192.0.2.1")
        expect(yield* Effect.provide(foreseen, world({ token: changes, uses }))).toBe(expected === "admitted")
        expect(uses.length).toBe(expected === "admitted" ? 1 : 0)
      })
  )

  it.effect("is not accepted while the database does not answer", () =>
    Effect.gen(function* () {
      const unreachable = Layer.succeed(TokenDirectory, {
        lookup: () => Effect.die(new Error("the connection is lost")),
        used: () => Effect.void
      })
      const foreseen = wouldAccept({ apiKey: "colmado", secret: "secreto" }, "192.0.2.1")
      expect(yield* Effect.provide(foreseen, Layer.merge(world({}), unreachable))).toBe(false)
    })
  )

  it.effect("is unauthenticated once the token has expired", () =>
    Effect.gen(function* () {
      const expiresAt = DateTime.add(yield* DateTime.now, { seconds: 60 })
      yield* TestClock.adjust("59 seconds")
      expect(yield* login("colmado", "secreto", { token: { expiresAt } })).toBe("admitted")
      yield* TestClock.adjust("1 second")
      expect(yield* login("colmado", "secreto", { token: { expiresAt } })).toBe("Unauthenticated")
    })
  )
})

describe("a token with two secrets", () => {
  it.effect("accepts the previous secret until it expires", () =>
    Effect.gen(function* () {
      const until = DateTime.add(yield* DateTime.now, { seconds: 60 })
      const kept: Kept = { secrets: [plain("nuevo"), plain("viejo", until)] }
      yield* TestClock.adjust("59 seconds")
      expect(yield* login("colmado", "viejo", kept)).toBe("admitted")
      yield* TestClock.adjust("1 second")
      expect(yield* login("colmado", "viejo", kept)).toBe("Unauthenticated")
      expect(yield* login("colmado", "nuevo", kept)).toBe("admitted")
    })
  )

  it.effect("refuses any third secret", () =>
    Effect.gen(function* () {
      const secrets = [plain("nuevo"), plain("viejo"), plain("más viejo")]
      expect(yield* login("colmado", "más viejo", { secrets })).toBe("Unauthenticated")
    })
  )
})

/** The stored form, the pepper of the process, the result, and whether the secret is stored again with the pepper. */
const underPepper: ReadonlyArray<readonly [string, StoredSecret, number | undefined, string, boolean]> = [
  ["when it is stored without a pepper and none is configured", plain("secreto"), undefined, "admitted", false],
  ["when it is stored without a pepper and one is configured", plain("secreto"), 1, "admitted", true],
  ["when it is stored with the configured pepper", peppered("secreto", 1), 1, "admitted", false],
  ["when it is stored with a different pepper", peppered("secreto", 2), 1, "Unauthenticated", false],
  [
    "when it is stored with a pepper and none is configured",
    peppered("secreto", 1),
    undefined,
    "Unauthenticated",
    false
  ],
  ["when it is another secret, stored without a pepper", plain("otro"), 1, "Unauthenticated", false],
  ["when it is another secret, stored with the pepper", peppered("otro", 1), 1, "Unauthenticated", false]
]

describe("a stored secret", () => {
  it.effect.each(underPepper)("is checked %s", ([, secret, pepper, heard, better]) =>
    Effect.gen(function* () {
      const uses: Array<TokenUse> = []
      expect(yield* login("colmado", "secreto", { secrets: [secret], pepper, uses })).toBe(heard)
      const expected = better ? peppered("secreto", 1) : secret
      expect(uses.map((use) => use.secret)).toEqual(heard === "admitted" ? [{ known: secret, better: expected }] : [])
    })
  )

  // The stored hash is refused when a client sends it as the secret.
  it.effect.each([undefined, 1])("is refused in its stored form, with the pepper %j", (pepper) =>
    Effect.gen(function* () {
      const hex = Buffer.from(sha256("secreto")).toString("hex")
      expect(yield* login("colmado", hex, { pepper })).toBe("Unauthenticated")
    })
  )
})
