import { Context, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { Access } from "./Access.ts"
import type { Call, Services } from "./Call.ts"
import { headerOf, headerValues } from "./HeaderValues.ts"
import { HttpOptions } from "./HttpOptions.ts"
import { addressOf, baseUrlOf } from "./Origin.ts"

/** The reply to a call that has just come in. */
export const emptyReply = (): Call["reply"] => ({ headers: {}, message: undefined, quota: undefined })

/** A call whose procedures take the input that the face reads for them. */
export const callOf = (
  services: Context.Context<Services | Access>,
  request: HttpServerRequest.HttpServerRequest,
  input: Call["input"]
): Call => {
  const options = Context.get(services, HttpOptions)
  const access = Context.get(services, Access)
  return {
    access,
    requestId: access.about.request_id,
    address: addressOf(
      { remoteAddress: request.remoteAddress, forwardedFor: headerOf(request, "x-forwarded-for") },
      options
    ),
    credentials: {
      authorization: soleOf(headerValues(request, "authorization")),
      apiKey: headerOf(request, "x-api-key"),
      apiSecret: headerOf(request, "x-api-secret")
    },
    baseUrl: () => baseUrlOf(request, options),
    input,
    reply: emptyReply(),
    services
  }
}

/** The same as an effect. */
export const incoming = (request: HttpServerRequest.HttpServerRequest, input: Call["input"]) =>
  Effect.contextWith((services: Context.Context<Services | Access>) => Effect.succeed(callOf(services, request, input)))

// Two of them are as good as a malformed one: nobody can say which was meant.
const soleOf = (values: ReadonlyArray<string>): string | undefined => (values.length > 1 ? "" : values[0])

/** A call that no procedure answers. */
export const withoutInput = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
  incoming(request, () => Effect.undefined)
)
