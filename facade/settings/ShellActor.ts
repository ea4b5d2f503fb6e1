import { userInfo } from "node:os"
import { Effect, Layer } from "effect"
import { shellActorFrom } from "../../core/domain/Operator.ts"
import { CurrentActor } from "../../core/ports/CurrentActor.ts"

/** The system login of this process. Null if the login has no name, as in some containers. */
const systemLogin = Effect.orElseSucceed(
  Effect.try(() => userInfo().username),
  () => null
)

/** The system login, and the address of its SSH client if there is one. */
const shellAddress = Effect.map(systemLogin, (login) => {
  // The value is "client-address client-port server-address server-port".
  const [client] = (process.env["SSH_CONNECTION"] ?? "").split(" ")
  return client === undefined || client === "" ? login : `${login ?? ""}@${client}`
})

/** The operator at the shell of this machine as the current actor. */
export const shellActorLayer = Layer.effect(
  CurrentActor,
  Effect.map(shellAddress, (address) => shellActorFrom({ via: "cli", address }))
)
