import { Redacted, Result } from "effect"
import { Base64Url } from "effect/encoding"
import type { Settings } from "../settings/Settings.ts"

type ConsoleSettings = NonNullable<Settings["Service"]["console"]>

const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i

/**
 * The origin of the console's pages for a Host header. Null for an unknown host name, because an attacker can make such
 * a name point to this machine (DNS rebinding). Loopback names with any port are allowed, because an SSH tunnel may use
 * another port.
 */
export const originOf = (host: string | undefined, { url }: Pick<ConsoleSettings, "url">): string | null => {
  if (host === undefined) return null
  if (url !== null && host.toLowerCase() === new URL(url).host) return url
  return loopback.test(host) ? `http://${host.toLowerCase()}` : null
}

const isSecure = (origin: string): boolean => origin.startsWith("https:")

/** Name of the session cookie. With the prefix, browsers accept the cookie only over TLS and for this host. */
const cookieName = (origin: string): string => (isSecure(origin) ? "__Host-saldo" : "saldo")

/** The cookie with this name in a request. Undefined if there is none, or if there are several. */
const cookieIn = (cookies: string | undefined, name: string): string | undefined => {
  const [value, ...others] = (cookies ?? "")
    .split(";")
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${name}=`))
  return others.length > 0 ? undefined : value?.slice(name.length + 1)
}

/** The session token in the cookies of a request. Undefined if there is none, or if there are several. */
export const sessionTokenIn = (cookies: string | undefined, origin: string): Redacted.Redacted | undefined => {
  const token = cookieIn(cookies, cookieName(origin))
  return token === undefined ? undefined : Redacted.make(token)
}

const oidc_seconds_max = 600

const oidcName = (origin: string): string => `${cookieName(origin)}-oidc`

/**
 * The Set-Cookie header that keeps the secrets of a sign-in while the browser is at the identity provider. SameSite is
 * Lax, because the browser comes back by a redirect from the provider.
 */
export const oidcCookie = (kept: string, origin: string): string =>
  [
    `${oidcName(origin)}=${Base64Url.encode(kept)}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Lax",
    `Max-Age=${oidc_seconds_max}`,
    ...(isSecure(origin) ? ["Secure"] : [])
  ].join("; ")

/** The secrets of a sign-in at the identity provider, in the cookies of a request. */
export const oidcSecretsIn = (cookies: string | undefined, origin: string): string | undefined => {
  const value = cookieIn(cookies, oidcName(origin))
  return value === undefined ? undefined : Result.getOrUndefined(Base64Url.decodeString(value))
}

/** The Set-Cookie header that keeps the session in the browser, or deletes it if the token is null. */
export const sessionCookie = (token: Redacted.Redacted | null, origin: string): string =>
  [
    `${cookieName(origin)}=${token === null ? "" : Redacted.value(token)}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Strict",
    ...(isSecure(origin) ? ["Secure"] : []),
    ...(token === null ? ["Max-Age=0"] : [])
  ].join("; ")

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** The security headers of every response. */
export const securityHeaders = (origin: string | null): Readonly<Record<string, string>> => ({
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  ...(origin !== null && isSecure(origin) && { "strict-transport-security": "max-age=31536000" })
})
