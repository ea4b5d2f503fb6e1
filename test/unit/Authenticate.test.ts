import { createHash } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import * as DigestNode from "../../adapters/node/DigestNode.ts"
import type { Token } from "../../core/domain/Token.ts"
import { Directory } from "../../core/ports/Directory.ts"
import { authenticate } from "../../core/workflows/Authenticate.ts"
import { company, session, token } from "./support/Examples.ts"

const directory = (changes: Partial<Token>) =>
  Layer.succeed(Directory, {
    lookup: (apiKey) =>
      Effect.succeed(
        apiKey === token.apiKey
          ? Option.some({
              session: { company, token: { ...token, ...changes } },
              secretHash: new Uint8Array(createHash("sha256").update("secreto").digest())
            })
          : Option.none()
      )
  })

const login = (apiKey: string, secret: string, changes: Partial<Token> = {}) =>
  authenticate({ apiKey, secret }, "192.0.2.1").pipe(
    Effect.match({ onSuccess: () => "admitted", onFailure: ({ _tag }) => _tag }),
    Effect.provide([directory(changes), DigestNode.layer])
  )

describe("who calls", () => {
  it.effect("is the company of the token", () =>
    authenticate({ apiKey: "colmado", secret: "secreto" }, "192.0.2.1").pipe(
      Effect.map((admitted) => expect(admitted).toEqual(session)),
      Effect.provide([directory({}), DigestNode.layer])
    )
  )

  it.effect.each([
    ["colmado", "secreto", {}, "admitted"],
    ["colmado", "otro", {}, "Unauthenticated"],
    ["colmado", "", {}, "Unauthenticated"],
    ["nadie", "secreto", {}, "Unauthenticated"],
    // Without the right secret nobody learns what state the token is in.
    ["colmado", "otro", { state: "revoked" }, "Unauthenticated"],
    ["colmado", "otro", { addresses: ["198.51.100.7"] }, "Unauthenticated"],
    ["colmado", "secreto", { state: "revoked" }, "Forbidden"],
    ["colmado", "secreto", { addresses: ["198.51.100.7"] }, "Forbidden"]
  ] as ReadonlyArray<readonly [string, string, Partial<Token>, string]>)(
    "%s with the secret %j and %j: %s",
    ([apiKey, secret, changes, expected]) =>
      Effect.map(login(apiKey, secret, changes), (heard) => expect(heard).toBe(expected))
  )

  it.effect("is nobody once the token has expired", () =>
    Effect.gen(function* () {
      const expiresAt = DateTime.add(yield* DateTime.now, { seconds: 60 })
      yield* TestClock.adjust("59 seconds")
      expect(yield* login("colmado", "secreto", { expiresAt })).toBe("admitted")
      yield* TestClock.adjust("1 second")
      expect(yield* login("colmado", "secreto", { expiresAt })).toBe("Unauthenticated")
    })
  )
})
