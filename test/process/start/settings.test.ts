import { availableParallelism } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Context, Duration, Effect, Layer, Redacted } from "effect"
import { Settings } from "../../../facade/settings/Settings.ts"
import { onOff } from "../../../facade/settings/Variable.ts"

type Environment = Readonly<Record<string, string>>

const settingsIn = (environment: Environment) =>
  Layer.build(Settings.layer).pipe(
    Effect.map((context) => Context.get(context, Settings)),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment)),
    Effect.scoped
  )

/** The error lines for wrong environment variables. */
const faultsIn = (environment: Environment) =>
  Effect.map(Effect.flip(settingsIn(environment)), ({ message }) => message.split("\n"))

const nameOf = (line: string): string => line.split(" ")[0] ?? ""

const secret = "the-secret-that-both-sides-know-32"
const gateway = (prefix: string) => ({
  [`${prefix}_URL`]: "https://gw.example.com/saldo",
  [`${prefix}_SECRET`]: secret
})

const dtone = {
  DTONE_BASE_URL: "https://dvs-api.dtone.com",
  DTONE_API_KEY: "the-key",
  DTONE_API_SECRET: "the-hidden-secret"
}

const twilio = {
  TWILIO_ACCOUNT_SID: "AC00112233445566778899aabbccddeeff",
  TWILIO_AUTH_TOKEN: "the-hidden-token",
  TWILIO_FROM: "+18095550100"
}

/** A choice of external services and the variables that it requires. */
const choices: ReadonlyArray<readonly [choice: Environment, needs: Environment]> = [
  [{ PROVIDER: "dtone" }, dtone],
  [{ PROVIDER: "http" }, gateway("PROVIDER")],
  [{ INSURER: "http" }, gateway("INSURER")],
  [{ SMS: "twilio" }, twilio],
  [{ SMS: "http" }, gateway("SMS")],
  [
    { PROVIDER: "dtone", INSURER: "http", SMS: "twilio" },
    { ...dtone, ...gateway("INSURER"), ...twilio }
  ]
]

describe("the support address", () => {
  it.effect("is an e-mail address, and absent unless it is set", () =>
    Effect.gen(function* () {
      assert.isNull((yield* settingsIn({})).supportEmail)
      assert.strictEqual(
        (yield* settingsIn({ SUPPORT_EMAIL: "soporte@saldo.test" })).supportEmail,
        "soporte@saldo.test"
      )
    })
  )

  it.effect.each(["soporte", "@saldo.test", "soporte@saldo", "a b@saldo.test", "<a@saldo.test>"])(
    "cannot be %s",
    (wrong) =>
      Effect.map(faultsIn({ SUPPORT_EMAIL: wrong }), (faults) =>
        assert.deepStrictEqual(faults, [`SUPPORT_EMAIL is ${JSON.stringify(wrong)}; it must be an e-mail address`])
      )
  )
})

describe("the external services in production", () => {
  it.effect("are disabled unless chosen, even if their other variables are set", () =>
    Effect.gen(function* () {
      const disabled = {
        provider: null,
        insurer: null,
        sms: null,
        calls_max: 64,
        followUpCalls_max: 4,
        floatEvery: Duration.minutes(5),
        floatAlert: null
      }
      assert.deepStrictEqual((yield* settingsIn({})).externalServices, disabled)
      const none = { PROVIDER: "none", INSURER: "NONE", SMS: "", ...dtone, ...gateway("INSURER"), ...twilio }
      assert.deepStrictEqual((yield* settingsIn(none)).externalServices, disabled)
    })
  )

  it.effect.each([
    [{}, 4],
    [{ PARTY_CALLS_MAX: "320" }, 20],
    [{ PARTY_CALLS_MAX: "1" }, 1],
    [{ FOLLOW_UP_CALLS_MAX: "7" }, 7],
    [{ FOLLOW_UP_CALLS_MAX: "off" }, null]
  ] as const)(
    "use a sixteenth of their concurrent calls to check settled sales, unless a setting says otherwise: %j",
    ([variables, calls_max]) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* settingsIn(variables)).externalServices.followUpCalls_max, calls_max)
      })
  )

  // FLOAT_ALERT -> the amount and the unit; null if it is invalid.
  it.effect.each([
    ["500", { amount: 500, unit: null }],
    ["1250.5 USD", { amount: 1250.5, unit: "USD" }],
    ["100000DOP", { amount: 100_000, unit: "DOP" }],
    ["0", null],
    ["-5", null],
    ["5 usd", null],
    ["1e3", null]
  ] as const)(
    "have an alert for a low balance with the provider, read from FLOAT_ALERT=%s if it is valid",
    ([FLOAT_ALERT, alert]) =>
      Effect.gen(function* () {
        if (alert === null) {
          assert.deepStrictEqual((yield* faultsIn({ FLOAT_ALERT })).map(nameOf), ["FLOAT_ALERT"])
        } else {
          assert.deepStrictEqual((yield* settingsIn({ FLOAT_ALERT })).externalServices.floatAlert, alert)
        }
      })
  )

  it.effect("have the balance with the provider read every five minutes, unless FLOAT_EVERY is set", () =>
    Effect.gen(function* () {
      assert.isNull((yield* settingsIn({ FLOAT_EVERY: "off" })).externalServices.floatEvery)
      const { floatEvery } = (yield* settingsIn({ FLOAT_EVERY: "60" })).externalServices
      assert.strictEqual(floatEvery === null ? null : Duration.toMinutes(floatEvery), 60)
    })
  )

  it.effect.each(choices)("report all missing variables together for %j", ([choice, needs]) =>
    Effect.gen(function* () {
      const faults = yield* faultsIn(choice)
      assert.deepStrictEqual(faults.map(nameOf), Object.keys(needs))
      const named = Object.entries(choice).map(([name, value]) => `${name}=${value}`)
      for (const fault of faults) {
        assert.match(fault, / is not set; \w+=\w+ needs /)
        assert.isTrue(named.some((one) => fault.includes(one)))
      }
    })
  )

  it.effect.each(
    choices.flatMap(([choice, needs]) => Object.keys(needs).map((missing) => [choice, needs, missing] as const))
  )("with %j and all of %j except one variable report this missing variable: %s", ([choice, needs, missing]) =>
    Effect.gen(function* () {
      const { [missing]: _, ...rest } = needs
      assert.deepStrictEqual((yield* faultsIn({ ...choice, ...rest })).map(nameOf), [missing])
      assert.deepStrictEqual((yield* faultsIn({ ...choice, ...rest, [missing]: "  " })).map(nameOf), [missing])
    })
  )

  it.effect("with wrong variables are reported together with all other wrong variables", () =>
    Effect.gen(function* () {
      const faults = yield* faultsIn({ PORT: "x", PROVIDER: "http", SMS: "pigeon", PARTY_CALLS_MAX: "0" })
      assert.deepStrictEqual(faults.map(nameOf), ["PORT", "PROVIDER_URL", "PROVIDER_SECRET", "SMS", "PARTY_CALLS_MAX"])
      assert.include(faults[3], "one of none, twilio, http")
    })
  )

  it.effect("are configured by the variables", () =>
    Effect.gen(function* () {
      const { calls_max, insurer, provider, sms } = (yield* settingsIn({
        ...{ PROVIDER: "DTONE", INSURER: "http", SMS: "twilio", PARTY_CALLS_MAX: "10000" },
        ...dtone,
        ...gateway("INSURER"),
        ...twilio
      })).externalServices
      assert(provider?._tag === "dtone" && insurer !== null && sms?._tag === "twilio")
      assert.deepStrictEqual([provider.baseUrl, provider.key], [dtone.DTONE_BASE_URL, dtone.DTONE_API_KEY])
      assert.strictEqual(Redacted.value(provider.secret), dtone.DTONE_API_SECRET)
      assert.strictEqual(insurer.baseUrl, "https://gw.example.com/saldo")
      assert.strictEqual(Redacted.value(insurer.secret), secret)
      assert.deepStrictEqual([sms.baseUrl, sms.accountSid], ["https://api.twilio.com", twilio.TWILIO_ACCOUNT_SID])
      assert.strictEqual(Redacted.value(sms.authToken), twilio.TWILIO_AUTH_TOKEN)
      assert.deepStrictEqual(sms.sender, { From: twilio.TWILIO_FROM })
      assert.strictEqual(calls_max, 10_000)
    })
  )

  it.effect("may include a Twilio messaging service in a region", () =>
    Effect.gen(function* () {
      const service = "MG00112233445566778899aabbccddeeff"
      const region = "https://api.dublin.ie1.twilio.com"
      const { sms } = (yield* settingsIn({ SMS: "twilio", ...twilio, TWILIO_FROM: service, TWILIO_BASE_URL: region }))
        .externalServices
      assert(sms?._tag === "twilio")
      assert.deepStrictEqual([sms.sender, sms.baseUrl], [{ MessagingServiceSid: service }, region])
    })
  )

  // Valid variables of a choice -> the variable that is changed, and its wrong value.
  it.effect.each([
    [{ PROVIDER: "http", ...gateway("PROVIDER") }, "PROVIDER_URL", "gw.example.com"],
    [{ PROVIDER: "http", ...gateway("PROVIDER") }, "PROVIDER_URL", "ftp://gw.example.com"],
    [{ PROVIDER: "http", ...gateway("PROVIDER") }, "PROVIDER_URL", "https://gw.example.com/?v=1"],
    [{ PROVIDER: "http", ...gateway("PROVIDER") }, "PROVIDER_URL", "https://gw.example.com/#v1"],
    [{ PROVIDER: "http", ...gateway("PROVIDER") }, "PROVIDER_URL", "https://user:hidden@gw.example.com"],
    [{ INSURER: "http", ...gateway("INSURER") }, "INSURER_SECRET", "hidden-and-too-short"],
    [{ SMS: "twilio", ...twilio }, "TWILIO_ACCOUNT_SID", "SK00112233445566778899aabbccddeeff"],
    [{ SMS: "twilio", ...twilio }, "TWILIO_FROM", "8095550100"],
    [{ SMS: "twilio", ...twilio }, "TWILIO_BASE_URL", "api.twilio.com"],
    [{ PROVIDER: "dtone", ...dtone }, "DTONE_BASE_URL", "dvs-api.dtone.com"],
    [{ PROVIDER: "dtone", ...dtone }, "PARTY_CALLS_MAX", "10001"],
    // DT One accepts names of at most 40 characters.
    [{ PROVIDER: "dtone", ...dtone }, "XID_PREFIX", "SIXTEENLETTERSXX"]
  ] as const)("with %j reject %s=%s", ([right, name, wrong]) =>
    Effect.gen(function* () {
      yield* settingsIn(right)
      const faults = yield* faultsIn({ ...right, [name]: wrong })
      assert.deepStrictEqual(faults.map(nameOf), [name])
      assert.notInclude(faults.join(), "hidden")
    })
  )
})

describe("the amount above which a deposit needs two operators", () => {
  // DEPOSIT_CONFIRM_ABOVE -> centavos; null if no deposit needs two operators.
  it.effect.each([
    [{}, 100_000_000],
    [{ DEPOSIT_CONFIRM_ABOVE: "250000.50" }, 25_000_050],
    [{ DEPOSIT_CONFIRM_ABOVE: "OFF" }, null]
  ] as const)("with the variables %j is %s centavos", ([environment, centavos]) =>
    Effect.gen(function* () {
      assert.strictEqual<number | null>((yield* settingsIn(environment)).depositConfirmAbove, centavos)
    })
  )

  it.effect.each(["0", "-1", "1.005", "1,000", "none"])("cannot be %s", (wrong) =>
    Effect.gen(function* () {
      const faults = yield* faultsIn({ DEPOSIT_CONFIRM_ABOVE: wrong })
      assert.deepStrictEqual(faults.map(nameOf), ["DEPOSIT_CONFIRM_ABOVE"])
    })
  )
})

describe("webhooks to this machine", () => {
  it.effect("are refused unless they are allowed", () =>
    Effect.gen(function* () {
      assert.isFalse((yield* settingsIn({})).webhookLocal)
      assert.isFalse((yield* settingsIn({ WEBHOOK_ALLOW_LOCAL: "off" })).webhookLocal)
      assert.isTrue((yield* settingsIn({ WEBHOOK_ALLOW_LOCAL: "on" })).webhookLocal)
      assert.deepStrictEqual(yield* faultsIn({ WEBHOOK_ALLOW_LOCAL: "localhost" }), [
        'WEBHOOK_ALLOW_LOCAL is "localhost"; it must be on or off'
      ])
    })
  )
})

describe("an on/off variable", () => {
  it.each([
    ["on", true],
    ["Yes", true],
    ["0", false],
    ["off", false],
    ["maybe", null],
    ["constructor", null],
    ["__proto__", null],
    ["toString", null]
  ])("reads %s as %j", (text, meaning) => {
    assert.strictEqual(onOff(text), meaning)
  })
})

describe("several processes", () => {
  it.effect("are one fewer than the cores with PROCESSES=auto, and by default there is one process", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* settingsIn({})).processes, 1)
      assert.strictEqual(
        (yield* settingsIn({ PROCESSES: "auto" })).processes,
        Math.max(1, Math.min(64, availableParallelism() - 1))
      )
      assert.deepStrictEqual(yield* faultsIn({ PROCESSES: "65" }), [
        'PROCESSES is "65"; it must be a whole number from 1 to 64, or auto'
      ])
    })
  )

  it.effect("share 64 connections by default, with at least seven for each process, unless PG_POOL_MAX is set", () =>
    Effect.gen(function* () {
      const connections = (PROCESSES: string, PG_POOL_MAX = "") =>
        Effect.map(settingsIn({ PROCESSES, PG_POOL_MAX }), ({ connections_max }) => connections_max)
      const counts = yield* Effect.all([connections("1"), connections("4"), connections("8"), connections("16")])
      assert.deepStrictEqual(counts, [16, 16, 8, 7])
      assert.strictEqual(yield* connections("8", "20"), 20)
    })
  )
})
