import { Config, Effect, Option, Result, Schema, Struct } from "effect"

/** An invalid environment variable. */
export class WrongVariable extends Schema.TaggedError<WrongVariable>()("WrongVariable", {
  message: Schema.String
}) {}

/** Parses the text of a variable. Null if it is invalid. */
export type Parser<A> = (text: string) => A | null

export interface VariableOptions<A, Default> {
  /** Describes valid values in messages. */
  readonly expected: string
  readonly read: Parser<A>
  readonly fallback: Default
  /** Whether the value is a secret, which error messages do not show. */
  readonly secret?: boolean
}

/**
 * Reads a variable. An empty variable counts as absent, because generated environments often contain empty variables.
 */
export const variable = <A, Default = A>(
  name: string,
  { expected, fallback, read, secret = false }: VariableOptions<A, Default>
): Effect.Effect<A | Default, WrongVariable> =>
  Config.option(Config.String(name)).pipe(
    Effect.orDie,
    Effect.flatMap((given): Effect.Effect<A | Default, WrongVariable> => {
      const text = Option.getOrElse(given, () => "").trim()
      if (text === "") return Effect.succeed(fallback)
      const value = read(text)
      const got = secret ? "a value that is not shown" : JSON.stringify(text)
      return value === null
        ? Effect.fail(new WrongVariable({ message: `${name} is ${got}; it must be ${expected}` }))
        : Effect.succeed(value)
    })
  )

/** Reads all variables. Fails with one line for each invalid variable. */
export const readAll = Effect.fnUntraced(function* <A extends object>(
  variables: {
    readonly [Name in keyof A]: Effect.Effect<A[Name], WrongVariable>
  }
) {
  const values: Partial<A> = {}
  const wrong: Array<string> = []
  for (const name of Struct.keys(variables)) {
    const result = yield* Effect.result(variables[name])
    if (Result.isSuccess(result)) values[name] = result.success
    else wrong.push(result.failure.message)
  }
  return wrong.length === 0 ? (values as A) : yield* new WrongVariable({ message: wrong.join("\n") })
})

export const integer =
  (minimum: number, maximum: number): Parser<number> =>
  (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    return value >= minimum && value <= maximum ? value : null
  }

export const matchingPattern =
  (pattern: RegExp): Parser<string> =>
  (text) =>
    pattern.test(text) ? text : null

/** Parses one of the given words, ignoring case. */
export const keyword =
  <A>(meanings: Readonly<Record<string, A>>): Parser<A> =>
  (text) => {
    const meaning = text.toLowerCase()
    return Object.hasOwn(meanings, meaning) ? (meanings[meaning] as A) : null
  }

export const urlWithProtocol =
  (...protocols: ReadonlyArray<string>): Parser<string> =>
  (text) => {
    const url = URL.parse(text)
    return url !== null && url.hostname !== "" && protocols.includes(url.protocol) ? text : null
  }

/** Options of a variable with the address of a database. */
export const databaseAddress = {
  expected: "an address like postgres://user:password@host:5432/database",
  read: urlWithProtocol("postgres:", "postgresql:"),
  fallback: null,
  secret: true
}

/** Parses a URL without a path, to which paths are appended. */
export const webOrigin: Parser<string> = (text) => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? url.origin : null
}

export const onOff = keyword({
  on: true,
  "1": true,
  true: true,
  yes: true,
  off: false,
  "0": false,
  false: false,
  no: false
})

/** The value that turns a setting off. */
export const off = "off" as const

/** Accepts `off` in addition to the parser's values. */
export const orOff =
  <A>(read: Parser<A>): Parser<A | typeof off> =>
  (text) =>
    text.toLowerCase() === off ? off : read(text)
