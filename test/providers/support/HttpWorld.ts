import { Effect } from "effect"
import * as HttpProvider from "../../../adapters/provider/http/HttpProvider.ts"
import { fakeHttpProvider } from "../../fakes/HttpSuppliers.ts"
import { at, secret } from "./Gateways.ts"

/** A gateway of the operator's, and the provider that asks it. */
export const start = Effect.gen(function* () {
  const gateway = yield* fakeHttpProvider(secret)
  return { gateway, provider: yield* HttpProvider.make(at(gateway.url)) }
})
