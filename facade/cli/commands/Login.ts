import { Effect, Redacted } from "effect"
import { Command } from "effect/cli"
import { signIn, signOut } from "../../../core/workflows/SignIn.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { DatabaseServer } from "../../settings/DatabaseServer.ts"
import { keepSessionFor, sessionFor } from "../../settings/SessionFile.ts"
import { shellOrigin } from "../../settings/ShellActor.ts"
import { print } from "../terminal/Output.ts"
import { operatorName } from "../terminal/Parameters.ts"
import { openPrompts } from "../terminal/Prompts.ts"

/** Stores a session for later commands on the same database. */
export const keepSignedIn = Effect.fnUntraced(function* (token: Redacted.Redacted) {
  const { place } = yield* DatabaseServer
  yield* keepSessionFor(place, Redacted.value(token))
})

export const login = Command.make(
  "login",
  { name: operatorName },
  Effect.fn(function* ({ name }) {
    const { askHidden } = yield* openPrompts
    const origin = yield* shellOrigin
    const password = Redacted.make(yield* askHidden("Password: "))
    const { actor, token } = yield* signIn({ name, password, code: yield* askHidden("Code: "), ...origin })
    yield* keepSignedIn(token)
    yield* print(
      { nombre: actor.name, rol: actor.role },
      `Signed in as ${actor.name} (${actor.role}). The session ends after 30 minutes without a command, or after 12 hours.`
    )
  }, Effect.scoped)
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Sign in as an operator. Asks for the password and for the code of the authenticator app, and shows neither. Later commands of this system login on the same database act as this operator. Reads lines from the standard input if it is not a terminal."
  ),
  Command.withShortDescription("Sign in as an operator"),
  Command.withExamples([{ command: "saldo login Ana", description: "Asks for the password and the code" }])
)

export const logout = Command.make(
  "logout",
  {},
  Effect.fn(function* () {
    const { place } = yield* DatabaseServer
    const token = yield* sessionFor(place)
    if (token !== null) {
      const { address } = yield* shellOrigin
      yield* signOut(token, address)
      yield* keepSessionFor(place, null)
    }
    yield* print({ con_sesion: token !== null }, token === null ? "You were not signed in." : "Signed out.")
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription("End the session of this system login on this database."),
  Command.withShortDescription("End the session"),
  Command.withExamples([{ command: "saldo logout", description: "The current session" }])
)
