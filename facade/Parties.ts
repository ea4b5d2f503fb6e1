import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Duration, Effect, Layer } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { HttpClient } from "effect/http"
import { CircuitBreaker } from "effect/persistence"
import { type GuardOptions, makeGuard } from "../adapters/http/Guard.ts"
import type { Guarded } from "../adapters/http/Guarded.ts"
import * as HttpInsurer from "../adapters/insurer/http/HttpInsurer.ts"
import * as InsurersConfigured from "../adapters/insurer/InsurersConfigured.ts"
import { dtone } from "../adapters/provider/dtone/DtOne.ts"
import * as HttpProvider from "../adapters/provider/http/HttpProvider.ts"
import * as ProvidersConfigured from "../adapters/provider/ProvidersConfigured.ts"
import * as HttpSms from "../adapters/sms/http/HttpSms.ts"
import * as SmsGatewaysConfigured from "../adapters/sms/SmsGatewaysConfigured.ts"
import * as TwilioSms from "../adapters/sms/twilio/TwilioSms.ts"
import { Settings } from "./settings/Settings.ts"

/** Its adapter waits for a creation 12 seconds; a DT One that is silent must be seen to fail before that. */
const dtOneAnswers_within = Duration.seconds(10)

/** A party whose calls all go through a guard of its own. */
const guarded = Effect.fnUntraced(function* <Party, R>(
  name: string,
  make: Effect.Effect<Party, never, R>,
  options: Pick<GuardOptions, "answer_max"> = {}
) {
  const { parties } = yield* Settings
  const { accepts, protect } = yield* makeGuard({ party: name, calls_max: parties.calls_max, ...options })
  const client = protect(yield* HttpClient.HttpClient)
  const party = yield* Effect.provideService(make, HttpClient.HttpClient, client)
  return { party, accepts } satisfies Guarded<Party>
})

const provider = Effect.gen(function* () {
  const { provider: chosen } = (yield* Settings).parties
  if (chosen === null) return null
  return chosen._tag === "dtone"
    ? yield* guarded("dtone", dtone(chosen), { answer_max: dtOneAnswers_within })
    : yield* guarded("provider", HttpProvider.make(chosen))
})

const insurer = Effect.gen(function* () {
  const { insurer: chosen } = (yield* Settings).parties
  return chosen === null ? null : yield* guarded("insurer", HttpInsurer.make(chosen))
})

const sms = Effect.gen(function* () {
  const { sms: chosen } = (yield* Settings).parties
  if (chosen === null) return null
  return chosen._tag === "twilio"
    ? yield* guarded("twilio", TwilioSms.make(chosen))
    : yield* guarded("sms", HttpSms.make(chosen))
})

const outside = Layer.mergeAll(
  // Over HTTP/2 a request that the other side says it did not process may be sent again; nothing is ever sent twice.
  NodeHttpClient.layerUndiciOptions({ allowH2: false }),
  CircuitBreaker.layerStoreMemory(),
  Mac.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto))
)

/** Whom sales, policies and messages go to, by the company's environment and the operator's choice. */
export const parties = Layer.mergeAll(
  Layer.unwrap(Effect.map(provider, ProvidersConfigured.layer)),
  Layer.unwrap(Effect.map(insurer, InsurersConfigured.layer)),
  Layer.unwrap(Effect.map(sms, SmsGatewaysConfigured.layer))
).pipe(Layer.provide(outside))
