import { Effect } from "effect"

const frame = /^ +at .+:\d+:\d+\)?$/

/** A defect without its message, which could quote anybody: its name and its stack frames. */
const redacted = (defect: unknown): Error => {
  if (!(defect instanceof Error)) return new Error("withheld: no error was thrown")
  const { message, name, stack = "" } = defect
  const kept = new Error("withheld")
  kept.name = name
  const frames = stack.split("\n").filter((line) => frame.test(line) && !message.includes(line.trim()))
  kept.stack = [`${name}: withheld`, ...frames].join("\n")
  return kept
}

/**
 * Withholds the messages of an effect's defects: code that handles an owner's name, phone or code may break with any of
 * them in the message, and a log must not have them.
 */
export const redactDefects = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchDefect(effect, (defect) => Effect.die(redacted(defect)))
