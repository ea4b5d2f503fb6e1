import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto"
import { Context, Effect, Layer, Redacted, Semaphore } from "effect"
import { PasswordHash } from "../../core/ports/PasswordHash.ts"

/**
 * Parameters of new hashes. The default is one of the sets that OWASP recommends: a hash takes 32 MB and about 0.2 seconds.
 * Only tests change it.
 */
export const ScryptCost = Context.Reference("saldo/adapters/ScryptCost", {
  defaultValue: () => ({ N: 2 ** 15, r: 8, p: 3 })
})
const salt_bytes = 16
const hash_bytes = 32
const memory_max = 64 * 1024 * 1024

/** Maximum number of hashes that are computed at the same time. More would take memory and threads from other work. */
const concurrent_max = 2

const derive = (password: string, salt: Uint8Array, options: ScryptOptions) =>
  Effect.callback<Buffer>((resume) => {
    scrypt(password, salt, hash_bytes, { ...options, maxmem: memory_max }, (error, key) =>
      resume(error === null ? Effect.succeed(key) : Effect.die(error))
    )
  })

const form = /^scrypt\$(?<N>\d+)\$(?<r>\d+)\$(?<p>\d+)\$(?<salt>[\w-]+)\$(?<hash>[\w-]+)$/

const parse = (stored: string) => {
  const { N, hash = "", p, r, salt = "" } = form.exec(stored)?.groups ?? {}
  return {
    options: { N: Number(N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, "base64url"),
    hash: Buffer.from(hash, "base64url")
  }
}

const write = (cost: typeof ScryptCost.Service, salt: Uint8Array, hash: Uint8Array): string =>
  [
    "scrypt",
    cost.N,
    cost.r,
    cost.p,
    Buffer.from(salt).toString("base64url"),
    Buffer.from(hash).toString("base64url")
  ].join("$")

const make = Effect.gen(function* () {
  const semaphore = yield* Semaphore.make(concurrent_max)
  const cost = yield* ScryptCost

  const hash = (password: Redacted.Redacted) =>
    Effect.suspend(() => {
      const salt = randomBytes(salt_bytes)
      return Effect.map(derive(Redacted.value(password), salt, cost), (key) => write(cost, salt, key))
    })

  // The hash that is compared if there is no stored hash. The comparison then takes as long as with a stored hash.
  const dummy = write(cost, new Uint8Array(salt_bytes), new Uint8Array(hash_bytes))

  const verify = (password: Redacted.Redacted, stored: string | null) => {
    const { hash, options, salt } = parse(stored ?? dummy)
    return Effect.map(
      derive(Redacted.value(password), salt, options),
      (key) => key.length === hash.length && timingSafeEqual(key, hash) && stored !== null
    )
  }

  return PasswordHash.of({
    hash: (password) => semaphore.withPermit(hash(password)),
    verify: (password, stored) => semaphore.withPermit(verify(password, stored))
  })
})

/** `PasswordHash` with scrypt of node:crypto. */
export const layer = Layer.effect(PasswordHash, make)
