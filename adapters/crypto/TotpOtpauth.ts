import { DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { Secret, TOTP } from "otpauth"
import { Totp } from "../../core/ports/Totp.ts"

const secret_bytes = 20
const step_seconds = 30

/** Number of time steps before and after the current step. The codes of these steps are accepted too. */
const drift_steps = 1

const totpOf = (secret: string, name = "") =>
  new TOTP({ issuer: "Saldo", label: name, secret: Secret.fromBase32(secret), digits: 6, period: step_seconds })

const make = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  return Totp.of({
    newSecret: Effect.map(
      random.randomBytes(secret_bytes),
      (bytes) => new Secret({ buffer: bytes.slice().buffer }).base32
    ),
    uriOf: (secret, name) => totpOf(secret, name).toString(),
    stepOf: (secret, code, now) => {
      const timestamp = DateTime.toEpochMillis(now)
      const drift = totpOf(secret).validate({ token: code.replace(/\s/g, ""), timestamp, window: drift_steps })
      return drift === null ? null : Math.floor(timestamp / 1000 / step_seconds) + drift
    }
  })
})

/** `Totp` with the library otpauth. */
export const layer = Layer.effect(Totp, make)
