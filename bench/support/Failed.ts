import { Schema } from "effect"

/** The benchmark cannot go on, or its figures would say nothing. The message says why. */
export class Failed extends Schema.TaggedError<Failed>()("Failed", { message: Schema.String }) {}
