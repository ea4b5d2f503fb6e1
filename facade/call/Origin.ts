import { Option, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { NetAddress } from "effect/net"
import type { HttpOptionsShape } from "./HttpOptions.ts"

const isAddress = (text: string): boolean => Result.isSuccess(NetAddress.ipFromString(text))

// An IPv4 caller of a socket that listens on IPv6.
const unmapped = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "")

/**
 * The client's address. Behind a trusted proxy it is the last entry of X-Forwarded-For, which that proxy wrote; those
 * before it are hearsay.
 */
export const addressOf = (
  { headers, remoteAddress }: Pick<HttpServerRequest.HttpServerRequest, "headers" | "remoteAddress">,
  { trustProxy }: HttpOptionsShape
): string => {
  const forwarded = trustProxy ? headers["x-forwarded-for"]?.split(",").at(-1)?.trim() : undefined
  const address =
    forwarded !== undefined && isAddress(forwarded) ? forwarded : Option.getOrElse(remoteAddress, () => "unknown")
  return unmapped(address)
}

const host = /^[\w.-]+(?::\d{1,5})?$|^\[[\da-f:.]+\](?::\d{1,5})?$/i

/** Where the client reached the service: as configured or, failing that, as the request says. */
export const baseUrlOf = (request: HttpServerRequest.HttpServerRequest, options: HttpOptionsShape): string => {
  if (options.publicUrl !== null) return options.publicUrl
  const named = request.headers["host"] ?? ""
  const secure = options.trustProxy
    ? request.headers["x-forwarded-proto"] === "https"
    : request.originalUrl.startsWith("https:")
  return `${secure ? "https" : "http"}://${host.test(named) ? named : "localhost"}`
}
