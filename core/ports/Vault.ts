import { Context, type Effect } from "effect"

/** Keeps what nobody may read beside us: personal data at rest, and codes that are only ever compared. */
export class Vault extends Context.Service<
  Vault,
  {
    /** Encrypts. It can be read again only with the same `purpose`, so that it cannot be put into another place. */
    readonly seal: (text: string, purpose: string) => Effect.Effect<Uint8Array>
    readonly open: (sealed: Uint8Array, purpose: string) => Effect.Effect<string>
    /** A keyed hash, in hex: the same of the same text, and worth nothing without the key. */
    readonly mac: (text: string) => Effect.Effect<string>
  }
>()("saldo/core/Vault") {}
