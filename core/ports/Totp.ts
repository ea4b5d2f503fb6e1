import { Context, type DateTime, type Effect } from "effect"

/** Time-based one-time codes of an authenticator app (RFC 6238). A code has six digits and changes every thirty seconds. */
export class Totp extends Context.Service<
  Totp,
  {
    /** A new secret, in base32. */
    readonly newSecret: Effect.Effect<string>
    /** The address that an authenticator app reads as a QR code. */
    readonly uriOf: (secret: string, name: string) => string
    /**
     * The time step of the code: the number of thirty-second intervals since 1970. Null if the code is wrong. The steps
     * before and after the current one are accepted, because clocks differ.
     */
    readonly stepOf: (secret: string, code: string, now: DateTime.Utc) => number | null
  }
>()("saldo/core/Totp") {}
