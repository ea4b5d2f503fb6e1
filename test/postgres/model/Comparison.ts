import { assert } from "@effect/vitest"
import { type Context, DateTime, Effect, Option, Result } from "effect"

/** The item with number `which`, modulo the number of items. Undefined if there are no items. */
export const pick = <A>(all: ReadonlyArray<A>, which: number): A | undefined => all[which % Math.max(all.length, 1)]

/** A result as plain data: the value of a success, or the tag and fields of an error. */
export const outcomeOf = <A, E extends { readonly _tag: string }>(result: Result.Result<A, E>) =>
  Result.match(result, {
    onSuccess: (answered) => ({ answered }),
    onFailure: (error) => ({ refused: error._tag, facts: { ...error } })
  })

/** Replacements for ids and texts that differ between the two stores. */
export interface Names {
  /** The replacement of an id, or undefined if the field contains no id. */
  readonly idOf: (field: string, object: object, value: unknown) => string | number | undefined
  readonly textOf?: (text: string) => string
}

/** A result as plain data with all ids replaced, so that the results of the two stores can be compared. */
const comparable = (names: Names, value: unknown): unknown => {
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

/** How to run a command on one store, and how to read all data that a scenario has written to this store. */
interface Comparison<Side, Command, Ports> {
  readonly answer: (side: Side, command: Command) => Effect.Effect<unknown, never, Ports>
  readonly view: (side: Side) => Effect.Effect<unknown, never, Ports>
  readonly namesOf: (side: Side) => Names
}

/**
 * Runs the commands on both stores. Asserts that all results are equal, and that the stores have equal data at the end.
 * Returns the results.
 */
export const compareStores = Effect.fnUntraced(function* <
  Ports,
  Side extends { readonly ports: Context.Context<Ports> },
  Command extends { readonly do: string }
>(
  { answer, namesOf, view }: Comparison<Side, Command, Ports>,
  { memory, postgres }: { readonly memory: Side; readonly postgres: Side },
  commands: ReadonlyArray<Command>
) {
  const on = (side: Side, effect: Effect.Effect<unknown, never, Ports>) =>
    Effect.map(Effect.provideContext(effect, side.ports), (value) => comparable(namesOf(side), value))
  const answers: Array<unknown> = []
  for (const command of commands) {
    const expected = yield* on(memory, answer(memory, command))
    answers.push(expected)
    // Both stores share one clock, which must advance only once.
    if (command.do !== "wait") assert.deepStrictEqual(yield* on(postgres, answer(postgres, command)), expected)
  }
  assert.deepStrictEqual(yield* on(postgres, view(postgres)), yield* on(memory, view(memory)))
  return answers
})
