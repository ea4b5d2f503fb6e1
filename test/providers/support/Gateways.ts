import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Fiber, Layer, Logger, Option, Redacted, References } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { whole } from "../../../adapters/http/WholeAnswer.ts"

/** A client whose answers have come back whole, as those of a guard have. */
export const Client = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, HttpClient.transformResponse(Effect.flatMap(whole)))
).pipe(Layer.provide(NodeHttpClient.layerUndici))

/** What an adapter needs to speak to somebody. */
export const Outside = Layer.merge(Client, NodeCrypto.layerMac)

export const secret = "the-secret-that-both-sides-know-32"

/** How a gateway is reached at an address. */
export const at = (baseUrl: string) => ({ baseUrl, secret: Redacted.make(secret) })

/** A port of this machine on which nobody listens. */
export const nobody = "http://127.0.0.1:1"

/** A host that does not exist. */
export const nowhere = "http://gateway.invalid"

/** Is there only silence for 30 seconds from somebody who has heard the question? */
export const isSilent = Effect.fnUntraced(function* <A, E, R>(
  question: Effect.Effect<A, E, R>,
  heard: Effect.Effect<void>
) {
  const asked = yield* Effect.forkChild(Effect.timeoutOption(question, "30 seconds"))
  yield* heard
  yield* TestClock.adjust("30 seconds")
  return Option.isNone(yield* Fiber.join(asked))
})

/** A line of the log. */
interface Line {
  readonly level: string
  readonly message: unknown
  readonly annotations: Readonly<Record<string, unknown>>
}

/** Does something, and answers what was logged meanwhile. */
export const overheard = Effect.fnUntraced(function* <A, E, R>(what: Effect.Effect<A, E, R>) {
  const lines: Array<Line> = []
  const logger = Logger.make(({ fiber, logLevel, message }) => {
    lines.push({ level: logLevel, message, annotations: fiber.getRef(References.CurrentLogAnnotations) })
  })
  return { answer: yield* Effect.provide(what, Logger.layer([logger])), lines }
})
