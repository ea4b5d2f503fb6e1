import { Context, type Effect } from "effect"

/** Encrypts personal data at rest, and hashes codes that are only compared. */
export class Vault extends Context.Service<
  Vault,
  {
    /** Encrypts a text. Decryption needs the same `purpose`, so a ciphertext cannot be moved to another field. */
    readonly seal: (text: string, purpose: string) => Effect.Effect<Uint8Array>
    readonly open: (sealed: Uint8Array, purpose: string) => Effect.Effect<string>
    /** Keyed hash in hex. Equal texts give equal hashes; without the key the hash reveals nothing. */
    readonly mac: (text: string) => Effect.Effect<string>
  }
>()("saldo/core/Vault") {}
