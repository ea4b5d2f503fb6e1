import { generateKeyPairSync, hash, sign } from "node:crypto"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { Effect } from "effect"
import { serveLocally } from "./LocalServer.ts"

/** The person who types a password at the provider. */
interface Person {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean
}

/** A fault of a dishonest or broken provider. */
export type ProviderFault =
  | "another audience"
  | "another issuer"
  | "another nonce"
  | "another signature"
  | "expired"
  | "no id token"
  | "denied"

const keys = () => generateKeyPairSync("rsa", { modulusLength: 2048 })

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const signed = (claims: object, key: ReturnType<typeof keys>["privateKey"]): string => {
  const content = `${encoded({ alg: "RS256", kid: "1" })}.${encoded(claims)}`
  return `${content}.${sign("sha256", Buffer.from(content), key).toString("base64url")}`
}

/** An identity provider on a local port. It signs in everyone as `person`, without a password. */
export const openIdProvider = Effect.gen(function* () {
  const [own, foreign] = [keys(), keys()]
  const state = { person: { sub: "1" } as Person, fault: null as ProviderFault | null }
  const codes = new Map<string, URLSearchParams>()
  let issuer = ""

  const claimsOf = (asked: URLSearchParams) => {
    const now = Math.floor(Date.now() / 1000)
    const age = state.fault === "expired" ? 7200 : 0
    return {
      iss: state.fault === "another issuer" ? "https://elsewhere.example.com" : issuer,
      aud: state.fault === "another audience" ? "another client" : asked.get("client_id"),
      nonce: state.fault === "another nonce" ? "x" : asked.get("nonce"),
      iat: now - age,
      exp: now - age + 3600,
      ...state.person
    }
  }

  const tokensFor = (form: URLSearchParams) => {
    const asked = codes.get(form.get("code") ?? "")
    codes.delete(form.get("code") ?? "")
    const isProven = hash("sha256", form.get("code_verifier") ?? "", "base64url") === asked?.get("code_challenge")
    if (asked === undefined || !isProven) return null
    const token = signed(claimsOf(asked), state.fault === "another signature" ? foreign.privateKey : own.privateKey)
    return { access_token: "a", token_type: "Bearer", ...(state.fault !== "no id token" && { id_token: token }) }
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "", issuer)
    const json = (body: unknown, status = 200) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    }
    if (url.pathname === "/.well-known/openid-configuration") {
      return json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"]
      })
    }
    if (url.pathname === "/jwks") {
      return json({ keys: [{ ...own.publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" }] })
    }
    if (url.pathname === "/authorize") {
      const back = new URL(url.searchParams.get("redirect_uri") ?? "")
      const code = crypto.randomUUID()
      codes.set(code, url.searchParams)
      back.searchParams.set("state", url.searchParams.get("state") ?? "")
      if (state.fault === "denied") back.searchParams.set("error", "access_denied")
      else back.searchParams.set("code", code)
      response.writeHead(303, { location: back.href }).end()
      return
    }
    const tokens = tokensFor(new URLSearchParams(await text(request)))
    return tokens === null ? json({ error: "invalid_grant" }, 400) : json(tokens)
  })
  issuer = yield* serveLocally(server)
  return { issuer, state }
})
