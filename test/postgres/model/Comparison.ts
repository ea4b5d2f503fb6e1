import { DateTime, Option, Result } from "effect"

/** The item that a command names by number. Numbers beyond the end start again at the first item. */
export const pick = <A>(all: ReadonlyArray<A>, which: number): A | undefined => all[which % Math.max(all.length, 1)]

/** A result in a comparable form: the answer, or the refusal with its details. */
export const outcomeOf = <A, E extends { readonly _tag: string }>(result: Result.Result<A, E>) =>
  Result.match(result, {
    onSuccess: (answered) => ({ answered }),
    onFailure: (error) => ({ refused: error._tag, facts: { ...error } })
  })

/** Names for values that differ between the two stores. */
export interface Names {
  /** The name of an id in a field of an object, or undefined if the field holds no id. */
  readonly idOf: (field: string, object: object, value: unknown) => string | number | undefined
  readonly textOf?: (text: string) => string
}

/** An answer as plain data, with names in place of ids, so that the answers of two stores can be compared. */
export const comparable = (names: Names, value: unknown): unknown => {
  if (DateTime.isDateTime(value)) return DateTime.formatIso(value)
  if (Option.isOption(value)) return comparable(names, Option.getOrNull(value))
  if (Array.isArray(value)) return value.map((each) => comparable(names, each))
  if (typeof value === "string") return names.textOf?.(value) ?? value
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, member]) => [
      field,
      names.idOf(field, value, member) ?? comparable(names, member)
    ])
  )
}
