import type { IncomingMessage, Server } from "node:http"
import type { Duplex } from "node:stream"
import { type Context, Duration, Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { CallCounter } from "../../core/ports/CallCounter.ts"
import { withoutUpgrades } from "../call/Upgrades.ts"
import { BatchedResponse } from "./BatchedResponse.ts"
import { exchangesOf, onExchange, remember } from "./Exchanges.ts"
import { answerTo, type Refused } from "./RawAnswer.ts"
import { errorOf, unknownPath } from "./Unrouted.ts"

type Refuse = (socket: Duplex, refused: Refused) => void

/** How long a connection that has been ended waits for its client to end it too. */
const close_max = Duration.seconds(2)

/** Closes a connection, after an answer if one is due; one that its client keeps open is cut off. */
const close = (socket: Duplex, answer?: string) =>
  Effect.callback<void>((resume) => {
    if (!socket.writable) return resume(Effect.void)
    socket.once("close", () => resume(Effect.void))
    socket.end(answer)
  }).pipe(Effect.timeoutOption(close_max), Effect.ensuring(Effect.sync(() => void socket.destroy())))

/**
 * Answers a connection once, and ends it; one that goes on sending is cut off. A request that came whole may be a sale:
 * what follows it must not be answered in its place, and the connection ends with the answer that is due.
 */
const refuser = (services: Context.Context<CallCounter | SecureRandom.SecureRandom>): Refuse => {
  const run = Effect.runForkWith(services)
  const ending = new WeakSet<Duplex>()
  return (socket, refused) => {
    const whole = exchangesOf(socket).findLast(({ request }) => request.complete)
    if (whole === undefined && !socket.writable) return void socket.destroy()
    if (ending.has(socket)) return
    ending.add(socket)
    if (whole !== undefined) return void whole.response.once("close", () => run(close(socket)))
    run(
      Effect.matchCauseEffect(answerTo(socket, refused), {
        onSuccess: (answer) => close(socket, answer),
        // Nobody else would end it: Node leaves to its listener whatever it could not read.
        onFailure: (cause) =>
          Effect.andThen(
            Effect.logError("a refusal failed", cause),
            Effect.sync(() => void socket.destroy())
          )
      })
    )
  }
}

const onClientError =
  (refuse: Refuse) =>
  (failure: NodeJS.ErrnoException, socket: Duplex): void => {
    if (failure.code === "ECONNRESET") return void socket.destroy()
    const request = exchangesOf(socket).at(-1)?.request
    refuse(socket, { error: errorOf(failure.code), request, counted: request === undefined ? "unread" : undefined })
  }

/** Node watches the connection of a tunnel no more: what it says is read here, lest nobody see that it ends. */
const onTunnel =
  (refuse: Refuse) =>
  (request: IncomingMessage, socket: Duplex): void => {
    // First of all: an error that nobody hears ends the process.
    socket.on("error", () => void socket.destroy())
    socket.on("data", () => {
      if (socket.writableFinished) socket.destroy()
    })
    refuse(socket, { error: unknownPath, request, counted: "address" })
  }

/**
 * Lets a server answer in the envelope also what Node would answer, or cut off, by itself: requests that its parser
 * cannot read, tunnels, and expectations that nobody has heard of. The server must be made with `serverOptions`.
 */
export const answeringClientErrors = Effect.map(
  Effect.context<CallCounter | SecureRandom.SecureRandom>(),
  (services) =>
    <S extends Server>(server: S): S => {
      const refuse = refuser(services)
      server.on("clientError", onClientError(refuse))
      server.on("connect", onTunnel(refuse))
      server.on("checkExpectation", (request, response) => server.emit("request", request, response))
      return onExchange(withoutUpgrades(server), remember)
    }
)

/**
 * A request without Host reaches the routes instead of being refused by Node. One that announces no body goes without
 * the events of a stream, which nobody would hear.
 */
export const serverOptions = { requireHostHeader: false, optimizeEmptyRequests: true, ServerResponse: BatchedResponse }
