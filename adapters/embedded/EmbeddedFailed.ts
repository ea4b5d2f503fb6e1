import { Schema } from "effect"

/** The embedded Postgres cannot be had. The message says what is wrong and what to do, in one line. */
export class EmbeddedFailed extends Schema.TaggedError<EmbeddedFailed>()("EmbeddedFailed", {
  message: Schema.String
}) {}

/** Runs what touches files, with the words for its failure; Node's error code is added to them. */
export const attempt = <A>(run: () => A, message: string): A => {
  try {
    return run()
  } catch (cause) {
    if (cause instanceof EmbeddedFailed) throw cause
    throw new EmbeddedFailed({ message: `${message} (${codeOf(cause)})` })
  }
}

/** Node's code of a failed system call, such as ENOENT; otherwise the error in words. */
export const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
