import { Effect, Predicate, Redacted } from "effect"
import {
  address,
  integer,
  type Reading,
  together,
  type VariableOptions,
  variable,
  WrongVariable,
  word
} from "./Variable.ts"

/** Outside parties that production companies sell through, and the variables that each choice needs. */

const text: Reading<string> = (given) => given

// Paths are put after it, and credentials have variables of their own.
const baseUrl: Reading<string> = (given) => (/[?#]|\/\/[^/]*@/.test(given) ? null : address("http:", "https:")(given))

const url = {
  expected: "an address like https://gateway.example.com, without a query and credentials",
  read: baseUrl,
  // It may have credentials in it, before it is corrected.
  secret: true
}
const secret = { expected: "a secret", read: text, secret: true }

/** A variable that a choice cannot do without. */
const needed = <A>(choice: string, name: string, options: Omit<VariableOptions<A, null>, "fallback">) =>
  Effect.filterOrFail(
    variable(name, { ...options, fallback: null }),
    Predicate.isNotNull,
    () => new WrongVariable({ message: `${name} is absent; ${choice} needs it: ${options.expected}` })
  )

const sharedSecret = {
  expected: "a secret of 32 characters or more",
  read: (given: string) => (given.length >= 32 ? given : null),
  secret: true
}

/** A gateway of the operator's own, and the secret that its requests are signed with. */
const gateway = (choice: string, prefix: string) =>
  Effect.map(
    together({
      baseUrl: needed(choice, `${prefix}_URL`, url),
      secret: Effect.map(needed(choice, `${prefix}_SECRET`, sharedSecret), Redacted.make)
    }),
    (options) => ({ _tag: "http" as const, ...options })
  )

const dtone = Effect.map(
  together({
    baseUrl: needed("PROVIDER=dtone", "DTONE_BASE_URL", url),
    key: needed("PROVIDER=dtone", "DTONE_API_KEY", secret),
    secret: Effect.map(needed("PROVIDER=dtone", "DTONE_API_SECRET", secret), Redacted.make)
  }),
  (options) => ({ _tag: "dtone" as const, ...options })
)

const senderOf: Reading<{ readonly From: string } | { readonly MessagingServiceSid: string }> = (given) => {
  if (/^MG[0-9a-f]{32}$/.test(given)) return { MessagingServiceSid: given }
  return /^\+\d{8,15}$/.test(given) ? { From: given } : null
}

const twilio = Effect.map(
  together({
    baseUrl: variable("TWILIO_BASE_URL", { ...url, fallback: "https://api.twilio.com" }),
    accountSid: needed("SMS=twilio", "TWILIO_ACCOUNT_SID", {
      expected: "the account's SID, AC and 32 hex digits",
      read: (given) => (/^AC[0-9a-f]{32}$/.test(given) ? given : null)
    }),
    authToken: Effect.map(needed("SMS=twilio", "TWILIO_AUTH_TOKEN", secret), Redacted.make),
    sender: needed("SMS=twilio", "TWILIO_FROM", {
      expected: "a number like +18095550100, or the SID of a messaging service",
      read: senderOf
    })
  }),
  (options) => ({ _tag: "twilio" as const, ...options })
)

const none = Effect.succeed(null)

/** One of some parties by name, or none; what the choice needs is read with it. */
const oneOf = <A>(name: string, choices: Readonly<Record<string, Effect.Effect<A, WrongVariable>>>) =>
  Effect.flatMap(
    variable(name, {
      expected: `one of none, ${Object.keys(choices).join(", ")}`,
      read: word<Effect.Effect<A | null, WrongVariable>>({ ...choices, none }),
      fallback: none
    }),
    (chosen) => chosen
  )

export const partyVariables = {
  provider: oneOf<Effect.Success<typeof dtone> | Effect.Success<ReturnType<typeof gateway>>>("PROVIDER", {
    dtone,
    http: gateway("PROVIDER=http", "PROVIDER")
  }),
  insurer: oneOf("INSURER", { http: gateway("INSURER=http", "INSURER") }),
  sms: oneOf<Effect.Success<typeof twilio> | Effect.Success<ReturnType<typeof gateway>>>("SMS", {
    twilio,
    http: gateway("SMS=http", "SMS")
  }),
  partyCalls_max: variable("PARTY_CALLS_MAX", {
    expected: "a whole number from 1 to 10000",
    read: integer(1, 10_000),
    fallback: 64
  })
}
