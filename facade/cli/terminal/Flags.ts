import { Option } from "effect"
import { Flag, Param } from "effect/cli"

/** Constructors of flags. Each states its accepted values and its default once, for the help and for errors. */

// A flag that is optional or has a default wraps a single flag, and only the single flag has a description.
const descriptionOf = (flag: Param.AnyFlag): string =>
  Param.isSingle(flag)
    ? Option.getOrElse(flag.description, () => "")
    : descriptionOf((flag as Param.Optional<"flag", unknown>).param)

/** Appends a note in parentheses to a flag's description. */
export const withNote =
  (note: string) =>
  <A>(flag: Flag.Flag<A>): Flag.Flag<A> =>
    Flag.withDescription(flag, `${descriptionOf(flag)} (${note})`)

/**
 * Gives a flag a default value and shows the default in the help. `told` is the text for the help, if the value itself
 * is not readable.
 */
export const orDefault =
  <const B>(fallback: B, told = String(fallback)) =>
  <A>(flag: Flag.Flag<A>): Flag.Flag<A | B> =>
    flag.pipe(withNote(`default: ${told}`), Flag.withDefault(fallback))

interface Bounds {
  readonly minimum: number
  readonly maximum?: number
}

/** An integer flag within bounds. */
export const wholeNumber = (name: string, { maximum, minimum }: Bounds, description: string) => {
  const form = maximum === undefined ? `${minimum} or more` : `from ${minimum} to ${maximum}`
  return Flag.Int(name).pipe(
    Flag.withDescription(description),
    withNote(form),
    Flag.filter(
      (value) => value >= minimum && (maximum === undefined || value <= maximum),
      () => `Expected: a whole number, ${form}`
    )
  )
}

/** A flag with a comma-separated list: `a,b,c`. */
export const commaList = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.withMetavar("a,b"),
    Flag.map((value) => value.split(",").map((part) => part.trim()))
  )

/** A flag with a comma-separated list of the given names. */
export const commaListOf = <const Name extends string>(
  name: string,
  names: ReadonlyArray<Name>,
  description: string
) => {
  const form = `any of ${names.join(", ")}, separated by commas`
  return commaList(name, description).pipe(
    withNote(form),
    Flag.filterMap(
      (given) =>
        Option.liftPredicate([...new Set(given)], (all): all is Array<Name> =>
          all.every((one) => names.some((known) => known === one))
        ),
      () => `Expected: ${form}`
    )
  )
}

/** A flag without a value, off by default. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))
