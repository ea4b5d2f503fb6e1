import { Schema } from "effect"
import { Fate } from "./Points.ts"

/** What a run tells a server. */
export const Order = Schema.TaggedUnion({
  /** It begins to serve; until then it has only loaded what it is made of. */
  Serve: {},
  /** It meets this fate from now on; null lets it live. */
  Meet: { fate: Schema.NullOr(Fate) }
})
