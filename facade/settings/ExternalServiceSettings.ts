import { Duration, Effect, Predicate, Redacted } from "effect"
import type { FloatAlert } from "../../core/domain/Float.ts"
import {
  integer,
  keyword,
  off,
  orOff,
  type Parser,
  readAll,
  urlWithProtocol,
  type VariableOptions,
  variable,
  WrongVariable
} from "./Variable.ts"

/** The external services that production companies sell through, and the variables that each of them needs. */

const text: Parser<string> = (given) => given

// Rejects queries and credentials: paths are appended to the URL, and credentials have their own variables.
const baseUrl: Parser<string> = (given) =>
  /[?#]|\/\/[^/]*@/.test(given) ? null : urlWithProtocol("http:", "https:")(given)

const urlOptions = {
  expected: "an address like https://gateway.example.com, without query and credentials",
  read: baseUrl,
  // A wrong value may contain credentials, so it is not shown.
  secret: true
}
const secretOptions = { expected: "a secret", read: text, secret: true }

/** A variable that a choice requires. */
const requiredVariable = <A>(choice: string, name: string, options: Omit<VariableOptions<A, null>, "fallback">) =>
  Effect.filterOrFail(
    variable(name, { ...options, fallback: null }),
    Predicate.isNotNull,
    () => new WrongVariable({ message: `${name} is not set; ${choice} needs ${options.expected}` })
  )

const sharedSecretOptions = {
  expected: "a secret of 32 characters or more",
  read: (given: string) => (given.length >= 32 ? given : null),
  secret: true
}

/** The address of an operator's gateway, and the secret that signs requests to it. */
const gatewaySettings = (choice: string, prefix: string) =>
  Effect.map(
    readAll({
      baseUrl: requiredVariable(choice, `${prefix}_URL`, urlOptions),
      secret: Effect.map(requiredVariable(choice, `${prefix}_SECRET`, sharedSecretOptions), Redacted.make)
    }),
    (options) => ({ _tag: "http" as const, ...options })
  )

const dtOneSettings = Effect.map(
  readAll({
    baseUrl: requiredVariable("PROVIDER=dtone", "DTONE_BASE_URL", urlOptions),
    key: requiredVariable("PROVIDER=dtone", "DTONE_API_KEY", secretOptions),
    secret: Effect.map(requiredVariable("PROVIDER=dtone", "DTONE_API_SECRET", secretOptions), Redacted.make)
  }),
  (options) => ({ _tag: "dtone" as const, ...options })
)

const readTwilioSender: Parser<{ readonly From: string } | { readonly MessagingServiceSid: string }> = (given) => {
  if (/^MG[0-9a-f]{32}$/.test(given)) return { MessagingServiceSid: given }
  return /^\+\d{8,15}$/.test(given) ? { From: given } : null
}

const twilioSettings = Effect.map(
  readAll({
    baseUrl: variable("TWILIO_BASE_URL", { ...urlOptions, fallback: "https://api.twilio.com" }),
    accountSid: requiredVariable("SMS=twilio", "TWILIO_ACCOUNT_SID", {
      expected: "the account's SID: AC and 32 hexadecimal digits",
      read: (given) => (/^AC[0-9a-f]{32}$/.test(given) ? given : null)
    }),
    authToken: Effect.map(requiredVariable("SMS=twilio", "TWILIO_AUTH_TOKEN", secretOptions), Redacted.make),
    sender: requiredVariable("SMS=twilio", "TWILIO_FROM", {
      expected: "a number like +18095550100, or the SID of a messaging service",
      read: readTwilioSender
    })
  }),
  (options) => ({ _tag: "twilio" as const, ...options })
)

const none = Effect.succeed(null)

const readFloatAlert: Parser<FloatAlert> = (given) => {
  const [, amount, unit = null] = /^(\d{1,12}(?:\.\d{1,5})?)(?: ?([A-Z]{3}))?$/.exec(given) ?? []
  return amount === undefined || Number(amount) === 0 ? null : { amount: Number(amount), unit }
}

/** Selects one external service by name, or none, and reads the variables that it needs. */
const serviceChoice = <A>(name: string, choices: Readonly<Record<string, Effect.Effect<A, WrongVariable>>>) =>
  Effect.flatMap(
    variable(name, {
      expected: `one of none, ${Object.keys(choices).join(", ")}`,
      read: keyword<Effect.Effect<A | null, WrongVariable>>({ ...choices, none }),
      fallback: none
    }),
    (chosen) => chosen
  )

export const externalServiceVariables = {
  provider: serviceChoice<Effect.Success<typeof dtOneSettings> | Effect.Success<ReturnType<typeof gatewaySettings>>>(
    "PROVIDER",
    {
      dtone: dtOneSettings,
      http: gatewaySettings("PROVIDER=http", "PROVIDER")
    }
  ),
  insurer: serviceChoice("INSURER", { http: gatewaySettings("INSURER=http", "INSURER") }),
  sms: serviceChoice<Effect.Success<typeof twilioSettings> | Effect.Success<ReturnType<typeof gatewaySettings>>>(
    "SMS",
    {
      twilio: twilioSettings,
      http: gatewaySettings("SMS=http", "SMS")
    }
  ),
  externalCalls_max: variable("PARTY_CALLS_MAX", {
    expected: "a whole number from 1 to 10000",
    read: integer(1, 10_000),
    fallback: 64
  }),
  followUpCalls_max: variable("FOLLOW_UP_CALLS_MAX", {
    expected: "a whole number from 1 to 10000, or off",
    read: orOff(integer(1, 10_000)),
    fallback: null
  }),
  floatEvery_min: variable("FLOAT_EVERY", {
    expected: "a whole number of minutes from 1 to 1440, or off",
    read: orOff(integer(1, 1440)),
    fallback: 5
  }),
  floatAlert: variable("FLOAT_ALERT", {
    expected: "a number above zero, with or without a unit, such as 500 USD",
    read: readFloatAlert,
    fallback: null
  })
}

type Variables = typeof externalServiceVariables
type Values = { readonly [Name in keyof Variables]: Effect.Success<Variables[Name]> }

/**
 * Default maximum of concurrent queries about settled sales: a sixteenth of all calls, because recovery and sales in
 * progress are more urgent.
 */
const followUpShareOf = (calls_max: number): number => Math.max(1, Math.floor(calls_max / 16))

export const externalServicesOf = ({
  externalCalls_max,
  floatAlert,
  floatEvery_min,
  followUpCalls_max,
  insurer,
  provider,
  sms
}: Values) => ({
  provider,
  insurer,
  sms,
  calls_max: externalCalls_max,
  /** Maximum number of concurrent queries about settled sales. Null if settled sales are not checked later. */
  followUpCalls_max: followUpCalls_max === off ? null : (followUpCalls_max ?? followUpShareOf(externalCalls_max)),
  /** Interval between two reads of the balance at the provider. Null if the balance is not read. */
  floatEvery: floatEvery_min === off ? null : Duration.minutes(floatEvery_min),
  floatAlert
})
