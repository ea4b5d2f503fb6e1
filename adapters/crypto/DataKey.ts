import { Context, type Redacted } from "effect"

/** The database's data key. All keys that encrypt personal data are derived from it. It never changes. */
export class DataKey extends Context.Service<
  DataKey,
  {
    /** 32 random bytes. */
    readonly bytes: Redacted.Redacted<Uint8Array>
    /**
     * Whether the data key is stored encrypted under the operator's key. Otherwise a copy of the database contains the
     * key.
     */
    readonly protected: boolean
  }
>()("saldo/adapters/crypto/DataKey") {}
