import { connect, type Socket } from "node:net"
import { Effect } from "effect"
import { eventually } from "../Eventually.ts"
import { ServiceAddress } from "../InProcessService.ts"

/** A connection with the text that it has received so far. */
export interface RawClient {
  readonly socket: Socket
  readonly said: Effect.Effect<string>
}

/** Sends bytes on a connection that the client keeps open on its side until the scope closes. */
export const rawClient = Effect.fnUntraced(function* (bytes: string) {
  const { port } = yield* ServiceAddress
  const open = Effect.sync((): RawClient => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => void socket.write(bytes))
    const heard: Array<string> = []
    socket.setEncoding("latin1").on("data", (more) => void heard.push(String(more)))
    return { socket: socket.on("error", () => {}), said: Effect.sync(() => heard.join("")) }
  })
  return yield* Effect.acquireRelease(open, ({ socket }) => Effect.sync(() => socket.destroy()))
})

/** Waits until a connection has received response headers and the beginning of a body. Returns all received text. */
export const answerIn = ({ said }: RawClient) => eventually(said, (text) => /\r\n\r\n[<{]/.test(text))

/** Whether the server has ended the connection. */
export const isOver = ({ socket }: RawClient) => Effect.sync(() => socket.readableEnded || socket.destroyed)

/** Waits until the server has ended the connection. */
export const endOf = (client: RawClient) => eventually(isOver(client), (over) => over)
