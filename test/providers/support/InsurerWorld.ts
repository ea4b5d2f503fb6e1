import { Effect } from "effect"
import * as HttpInsurer from "../../../adapters/insurer/http/HttpInsurer.ts"
import { fakeHttpInsurer } from "../../fakes/HttpSuppliers.ts"
import { at, secret } from "./Gateways.ts"

/** An insurer's gateway, and the insurer that asks it. */
export const startInsurer = Effect.gen(function* () {
  const gateway = yield* fakeHttpInsurer(secret)
  return { gateway, insurer: yield* HttpInsurer.make(at(gateway.url)) }
})
