import { Context, type Redacted } from "effect"

/** The key from which those are made that keep personal data. It is the database's own, for as long as that lives. */
export class DataKey extends Context.Service<
  DataKey,
  {
    /** 32 random bytes. */
    readonly bytes: Redacted.Redacted<Uint8Array>
    /** Whether the operator's key is needed to read it; otherwise whoever has the database has it too. */
    readonly protected: boolean
  }
>()("saldo/adapters/crypto/DataKey") {}
