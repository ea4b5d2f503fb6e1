import { DateTime, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import type { Company } from "./Company.ts"
import { Forbidden, Unauthenticated } from "./Errors.ts"
import type { Permission, Token } from "./Token.ts"

/** The authenticated caller: a token and its company. */
export interface Session {
  readonly token: Token
  readonly company: Company
  /** Whether the company is closed, because its cell is closed. */
  readonly isClosed: boolean
}

/**
 * Decides whether a token with the right secret may be used now, from this address. Returns the first refusal, in this
 * order: token expired; token suspended or revoked; company without API or suspended; address not on the token's list.
 * Contract: 5.
 */
export const admit = (
  session: Session,
  address: string,
  now: DateTime.Utc
): Result.Result<Session, Unauthenticated | Forbidden> => {
  const { company, token } = session
  if (token.expiresAt !== null && DateTime.isGreaterThanOrEqualTo(now, token.expiresAt)) {
    return Result.fail(new Unauthenticated())
  }
  if (token.state === "suspended") return Result.fail(new Forbidden({ why: "token_suspended" }))
  if (token.state === "revoked") return Result.fail(new Forbidden({ why: "token_revoked" }))
  if (!company.apiEnabled) return Result.fail(new Forbidden({ why: "company_without_api" }))
  if (company.state === "suspendida") return Result.fail(new Forbidden({ why: "company_suspended" }))
  if (!isListed(token.addresses, address)) return Result.fail(new Forbidden({ why: "address" }))
  return Result.succeed(session)
}

/** Decides whether the token has the permission. A token with an empty list has every permission. Contract: 5. */
export const permit = (token: Token, permission: Permission): Result.Result<void, Forbidden> =>
  token.permissions.length === 0 || token.permissions.includes(permission)
    ? Result.void
    : Result.fail(new Forbidden({ why: "permission", permission }))

/** Whether the text is an IP address or a CIDR range, IPv4 or IPv6. */
export const isAddressRange = (text: string): boolean => Result.isSuccess(rangeOf(text))

// A server that listens on IPv6 sees 192.0.2.1 as ::ffff:192.0.2.1. An operator may copy the second form into a token's
// list, so both addresses are compared in canonical form.
const addressOf = (text: string) =>
  Result.map(NetAddress.ipFromString(text), (address) => NetAddress.toCanonical(address))

const rangeOf = (text: string): Result.Result<IpNetwork.IpNetwork, NetAddress.NetAddressError> =>
  text.includes("/")
    ? Result.map(IpNetwork.fromString(text), unmapped)
    : Result.map(addressOf(text), (address) =>
        IpNetwork.fromAddressUnsafe(address, NetAddress.isIpv4Address(address) ? 32 : 128)
      )

const mappedPrefix_bits = 96

const unmapped = (range: IpNetwork.IpNetwork): IpNetwork.IpNetwork => {
  const address = NetAddress.toCanonical(range.address)
  return address === range.address || range.prefixLength < mappedPrefix_bits
    ? range
    : IpNetwork.fromAddressUnsafe(address, range.prefixLength - mappedPrefix_bits)
}

const isListed = (ranges: ReadonlyArray<string>, address: string): boolean => {
  if (ranges.length === 0) return true
  const caller = addressOf(address)
  return (
    Result.isSuccess(caller) &&
    ranges.some((text) => {
      const range = rangeOf(text)
      return Result.isSuccess(range) && IpNetwork.contains(range.success, caller.success)
    })
  )
}
