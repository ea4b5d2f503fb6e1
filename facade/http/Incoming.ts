import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpServerRequest } from "effect/http"
import type { Call, Services } from "../trpc/Call.ts"
import { HttpOptions } from "./HttpOptions.ts"
import { addressOf, baseUrlOf } from "./Origin.ts"

/** A call whose procedures take the input that the face reads for them. */
export const incoming = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  input: Call["input"]
) {
  const options = yield* HttpOptions
  const random = yield* SecureRandom.SecureRandom
  const { headers } = request
  const call: Call = {
    requestId: yield* random.uuidV7(),
    address: addressOf(request, options),
    credentials: {
      authorization: headers["authorization"],
      apiKey: headers["x-api-key"],
      apiSecret: headers["x-api-secret"]
    },
    baseUrl: () => baseUrlOf(request, options),
    input,
    reply: { headers: {}, message: undefined, quota: undefined },
    services: yield* Effect.context<Services>()
  }
  return call
})

/** A call that no procedure answers. */
export const withoutInput = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
  incoming(request, () => Effect.undefined)
)
