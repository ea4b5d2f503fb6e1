import { Option } from "effect"
import { Flag, Param } from "effect/cli"

/** Shapes of flags. What a flag takes, and what holds without it, is said once: its help and its errors follow. */

// Whatever is no flag by itself has one within.
const descriptionOf = (flag: Param.AnyFlag): string =>
  Param.isSingle(flag)
    ? Option.getOrElse(flag.description, () => "")
    : descriptionOf((flag as Param.Optional<"flag", unknown>).param)

/** Adds a note to what a flag's help says. */
export const withNote =
  (note: string) =>
  <A>(flag: Flag.Flag<A>): Flag.Flag<A> =>
    Flag.withDescription(flag, `${descriptionOf(flag)} (${note})`)

/** What holds without a flag; in words, if the value does not say it. */
export const orDefault =
  <const B>(fallback: B, told = String(fallback)) =>
  <A>(flag: Flag.Flag<A>): Flag.Flag<A | B> =>
    flag.pipe(withNote(`default: ${told}`), Flag.withDefault(fallback))

interface Bounds {
  readonly minimum: number
  readonly maximum?: number
}

/** A whole number within bounds. */
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

/** `a,b,c`. */
export const commaList = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.withMetavar("a,b"),
    Flag.map((value) => value.split(",").map((part) => part.trim()))
  )

/** Some of these, parted by commas. */
export const commaListOf = <const Name extends string>(
  name: string,
  names: ReadonlyArray<Name>,
  description: string
) => {
  const form = `any of ${names.join(", ")}, parted by commas`
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

/** What is so only if it is asked for. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))
