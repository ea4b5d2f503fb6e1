import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Layer, Redacted } from "effect"
import { DataKey } from "../crypto/DataKey.ts"
import * as VaultAead from "../crypto/VaultAead.ts"

const known = Layer.succeed(DataKey, { bytes: Redacted.make(new Uint8Array(32)), protected: false })

/** A vault with a public key, for stores that keep nothing. */
export const layer = VaultAead.layer.pipe(Layer.provide(Layer.merge(known, NodeCrypto.layer)))
