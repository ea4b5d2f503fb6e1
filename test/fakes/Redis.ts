import { createServer } from "node:net"
import { Effect, Redacted } from "effect"
import { listenLocally } from "./LocalServer.ts"

/** A minimal Redis server. `reply` returns the response to a command, or undefined to send no response. */
export const fakeRedis = (reply: (command: string) => string | undefined) =>
  Effect.gen(function* () {
    const server = createServer((socket) => {
      socket.on("error", () => socket.destroy())
      socket.on("data", (chunk) => {
        for (const command of chunk.toString("latin1").split(/(?=^\*\d+\r\n)/m)) {
          const said = reply(command)
          if (said !== undefined) socket.write(said)
        }
      })
    })
    return { server, url: Redacted.make(`redis://127.0.0.1:${yield* listenLocally(server)}`) }
  })
