import { Effect } from "effect"
import { isOfClosedCompany } from "../domain/ErrorCatalogue.ts"
import { CompanyClosed } from "../domain/Errors.ts"

const withheld = "message withheld, because it may contain personal data"

const frame = /^ +at .+:\d+:\d+\)?$/

/** An error with only the name and stack frames of a defect. Its message may contain personal data. */
const redacted = (defect: unknown): Error => {
  if (!(defect instanceof Error)) return new Error(withheld)
  const { message, name, stack = "" } = defect
  const kept = new Error(withheld)
  kept.name = name
  const frames = stack.split("\n").filter((line) => frame.test(line) && !message.includes(line.trim()))
  kept.stack = [`${name}: ${withheld}`, ...frames].join("\n")
  return kept
}

/**
 * Removes the messages of an effect's defects. Code that handles a name, phone or one-time code may put these data into
 * the message of an error. They must not reach the log.
 */
export const redactDefects = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchDefect(effect, (defect) => Effect.die(isOfClosedCompany(defect) ? new CompanyClosed() : redacted(defect)))
