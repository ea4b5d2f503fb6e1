import { Effect } from "effect"

const frame = /^ +at .+:\d+:\d+\)?$/

/** What is left of a defect once nothing in it can quote anybody: what it is called, and where it came from. */
const wordless = (defect: unknown): Error => {
  if (!(defect instanceof Error)) return new Error("withheld: no error was thrown")
  const { message, name, stack = "" } = defect
  const kept = new Error("withheld")
  kept.name = name
  const frames = stack.split("\n").filter((line) => frame.test(line) && !message.includes(line.trim()))
  kept.stack = [`${name}: withheld`, ...frames].join("\n")
  return kept
}

/**
 * Fails as the effect fails, with its message withheld: whoever handles an owner's name, phone or code may break with
 * any of them in the message, and a log must not have them.
 */
export const discreetly = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchDefect(effect, (defect) => Effect.die(wordless(defect)))
