import { createServer, type Server } from "node:net"
import { Effect, Redacted } from "effect"

/** A minimal Redis server. `reply` returns the response to a command, or undefined to send no response. */
export const fakeRedis = (reply: (command: string) => string | undefined) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly server: Server; readonly url: Redacted.Redacted }>((resume) => {
      const server = createServer((socket) => {
        socket.on("error", () => socket.destroy())
        socket.on("data", (chunk) => {
          for (const command of chunk.toString("latin1").split(/(?=^\*\d+\r\n)/m)) {
            const said = reply(command)
            if (said !== undefined) socket.write(said)
          }
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ server, url: Redacted.make(`redis://127.0.0.1:${port}`) }))
      })
    }),
    ({ server }) => Effect.sync(() => server.close())
  )
