import { Option, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { IpNetwork, NetAddress } from "effect/net"
import type { HttpOptionsShape } from "./HttpOptions.ts"

// An address of version 6 has many spellings, and one of them is of an IPv4 caller of a socket that listens on IPv6.
const spelled = (text: string): string | null =>
  Result.getOrNull(Result.map(NetAddress.ipFromString(text), (ip) => NetAddress.formatIp(NetAddress.toCanonical(ip))))

/** Whom the socket saw, and what X-Forwarded-For says. */
interface Seen {
  readonly remoteAddress: Option.Option<string>
  readonly forwardedFor: string | undefined
}

/**
 * The client's address, in one spelling. Behind a trusted proxy it is the last entry of
 * X-Forwarded-For, which that proxy wrote; those before it are hearsay.
 */
export const addressOf = (
  { forwardedFor, remoteAddress }: Seen,
  { trustProxy }: Pick<HttpOptionsShape, "trustProxy">
): string => {
  const forwarded = trustProxy ? forwardedFor?.split(",").at(-1)?.trim() : undefined
  const told = forwarded === undefined ? null : spelled(forwarded)
  if (told !== null) return told
  const seen = Option.getOrElse(remoteAddress, () => "unknown")
  // What a socket says of version 4 is spelled so already; an address with a zone, as fe80::1%eth0, stays as it is.
  return seen.includes(":") ? (spelled(seen) ?? seen) : seen
}

/** What an address is counted by. Whoever has an address of version 6 has all that begin with the same 64 bits. */
export const networkOf = (address: string): string =>
  address.includes(":")
    ? Result.match(NetAddress.ipv6FromString(address), {
        onSuccess: (ip) => IpNetwork.format(IpNetwork.fromAddressUnsafe(ip, 64)),
        // A link's own address names its zone: fe80::1%eth0.
        onFailure: () => address
      })
    : address

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
