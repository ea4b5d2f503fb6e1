import { createHmac } from "node:crypto"
import { Effect } from "effect"
import { Vault } from "../../core/ports/Vault.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * A vault without encryption, so that equal texts give equal results. The real vault draws random nonces and uses
 * threads, whose order is not reproducible.
 */
export const vaultPlain = Vault.of({
  seal: (text, purpose) => Effect.sync(() => encoder.encode(JSON.stringify({ purpose, text }))),
  open: (sealed, purpose) =>
    Effect.sync(() => {
      const { purpose: sealedFor, text } = JSON.parse(decoder.decode(sealed))
      if (sealedFor !== purpose) throw new Error(`sealed for ${sealedFor}, not for ${purpose}`)
      return text
    }),
  mac: (text) => Effect.sync(() => createHmac("sha256", "simulation").update(text).digest("hex"))
})
