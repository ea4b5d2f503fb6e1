import { Option } from "effect"
import { Flag } from "effect/cli"

interface Bounds {
  readonly minimum: number
  readonly maximum?: number
}

/** A whole number within bounds. */
export const whole = (name: string, { maximum, minimum }: Bounds, description: string) =>
  Flag.Int(name).pipe(
    Flag.withDescription(description),
    Flag.filter(
      (value) => value >= minimum && (maximum === undefined || value <= maximum),
      () => `Expected: a whole number from ${minimum}${maximum === undefined ? "" : ` to ${maximum}`}`
    )
  )

/** The same, which need not be given. */
export const wholeOr = (name: string, fallback: number, bounds: Bounds, description: string) =>
  whole(name, bounds, `${description} (${fallback} when absent)`).pipe(Flag.withDefault(fallback))

/** Some of these, parted by commas; all of them when it is not given. */
export const someOf = <const Name extends string>(name: string, names: ReadonlyArray<Name>, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.withMetavar("a,b"),
    Flag.map((value) => value.split(",").map((part) => part.trim())),
    Flag.filterMap(
      (given) =>
        Option.liftPredicate(given, (all): all is Array<Name> =>
          all.every((one) => names.some((known) => known === one))
        ),
      (given) => `Expected: some of ${names.join(", ")}; not ${given.join(",")}`
    ),
    Flag.withDefault(names)
  )

/** What is so only if it is asked for. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

export const asJson = toggle("json", "Print one JSON document")
