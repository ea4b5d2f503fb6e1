import { Config, Effect, Option, Result, Schema, Struct } from "effect"

/** An environment variable that cannot be used as it stands. */
export class WrongVariable extends Schema.TaggedError<WrongVariable>()("WrongVariable", {
  message: Schema.String
}) {}

/** What a text of the environment means; null when it means nothing. */
export type Parser<A> = (text: string) => A | null

export interface VariableOptions<A, Default> {
  /** What a right value looks like, in words. */
  readonly expected: string
  readonly read: Parser<A>
  readonly fallback: Default
  /** A secret's value is not repeated in an error. */
  readonly secret?: boolean
}

/** Reads a variable. An empty one counts as absent, as composed environments often carry such. */
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
        ? Effect.fail(new WrongVariable({ message: `${name} is ${got}; it should be ${expected}` }))
        : Effect.succeed(value)
    })
  )

/** All of them, or every one that is wrong, a line each. */
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

/** One of some words, in whatever case. */
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

/** An address of the web with nothing after it: what leads on from there begins with a slash. */
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
