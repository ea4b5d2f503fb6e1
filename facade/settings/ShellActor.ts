import { userInfo } from "node:os"
import { Effect, Layer } from "effect"
import { type Actor, type Origin, shellActorFrom } from "../../core/domain/Operator.ts"
import { CurrentActor } from "../../core/ports/CurrentActor.ts"
import { actorOfOperatorToken, sessionOf, shellIsAdmin } from "../../core/workflows/SignIn.ts"
import { DatabaseServer } from "./DatabaseServer.ts"
import { sessionFor } from "./SessionFile.ts"
import { matchingPattern, variable } from "./Variable.ts"

/** The system login of this process. Null if the login has no name, as in some containers. */
const systemLogin = Effect.orElseSucceed(
  Effect.try(() => userInfo().username),
  () => null
)

/** This shell: the system login, and the address of its SSH client if there is one. */
export const shellOrigin = Effect.map(systemLogin, (login): Origin => {
  // The value is "client-address client-port server-address server-port".
  const [client] = (process.env["SSH_CONNECTION"] ?? "").split(" ")
  return { via: "cli", address: client === undefined || client === "" ? login : `${login ?? ""}@${client}` }
})

// This variable is not part of `Settings`, because only commands read it.
const tokenVariable = variable("OPERATOR_TOKEN", {
  expected: 'a token of "saldo operator token"',
  read: matchingPattern(/^[\w-]{43}$/),
  fallback: null,
  secret: true
})

/**
 * The operator of OPERATOR_TOKEN or of the session of `saldo login`. Null if there is neither a token nor a
 * session, or if the session has ended.
 */
const signedIn = Effect.fnUntraced(function* (origin: Origin) {
  const operatorToken = yield* tokenVariable
  // A token that is no longer valid is an error, because a program would otherwise not notice that it has
  // lost its rights.
  if (operatorToken !== null) return yield* actorOfOperatorToken(operatorToken, origin)
  const { place } = yield* DatabaseServer
  const token = yield* sessionFor(place)
  if (token === null) return null
  return yield* sessionOf(token, origin.address).pipe(
    Effect.map(({ actor }): Actor | null => actor),
    Effect.catchTag("SignedOut", () => Effect.succeed(null))
  )
})

/**
 * The actor of a command. Without a signed-in operator, the actor is the shell. The shell has the role admin until an
 * admin's account is active. After that, it may only read.
 */
const shellActor = Effect.gen(function* () {
  const origin = yield* shellOrigin
  const actor = yield* signedIn(origin)
  if (actor !== null) return actor
  const shell = shellActorFrom(origin)
  return (yield* shellIsAdmin) ? shell : { ...shell, role: "lector" as const }
})

/** The operator of this command as the current actor. */
export const shellActorLayer = Layer.effect(CurrentActor, shellActor)
