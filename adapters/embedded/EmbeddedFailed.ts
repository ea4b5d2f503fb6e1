import { Schema } from "effect"

/** The embedded Postgres cannot start. The message states the problem and the remedy in one line. */
export class EmbeddedFailed extends Schema.TaggedError<EmbeddedFailed>()("EmbeddedFailed", {
  message: Schema.String
}) {}

/** Runs a file operation. A failure becomes `EmbeddedFailed` with this message and Node's error code. */
export const attempt = <A>(run: () => A, message: string): A => {
  try {
    return run()
  } catch (cause) {
    if (cause instanceof EmbeddedFailed) throw cause
    throw new EmbeddedFailed({ message: `${message} (${codeOf(cause)})` })
  }
}

/** Node's code of a failed system call, for example ENOENT. Without a code, the error as text. */
export const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
