import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { Effect } from "effect"

/** When the connection is cut: before the server receives the statement, or after the server has committed it. */
export const cuts = ["before COMMIT", "after COMMIT"] as const
export type Cut = (typeof cuts)[number]

/** A proxy to the database that cuts a connection once, at the statement that contains a given text. */
export interface CuttingProxy {
  readonly port: number
  /** Number of connections cut so far. */
  readonly cuts: () => number
  readonly arm: (cut: Cut, marker: Marker) => void
}

/** A text in the statement to cut. With `after`, a text in the statement before it on the same connection. */
export type Marker = string | { readonly after: string }

/**
 * Forwards bytes between clients and the server at port `target`. An armed proxy waits for the marker in the bytes of a
 * client. It then drops these bytes, or forwards them and drops the response. In both cases it breaks the connection.
 */
export const cuttingProxy = (target: number) =>
  Effect.acquireRelease(
    Effect.callback<CuttingProxy & { readonly close: () => void }>((resume) => {
      let armed: { readonly cut: Cut; readonly marker: Marker } | null = null
      let broken = 0
      const open = new Set<Socket>()
      const server = createServer((client) => {
        const upstream = connect(target, "127.0.0.1")
        let deaf = false
        let isNext = false
        /** Whether the bytes contain the statement to cut. */
        const isMarked = (bytes: string | Buffer, marker: Marker): boolean => {
          if (typeof marker === "string") return bytes.includes(marker)
          if (isNext) return true
          isNext = bytes.includes(marker.after)
          return false
        }
        const breakOff = () => {
          broken++
          client.destroy()
          upstream.destroy()
        }
        for (const socket of [client, upstream]) {
          open.add(socket)
          socket.on("error", () => undefined)
          socket.on("close", () => {
            open.delete(socket)
            client.destroy()
            upstream.destroy()
          })
        }
        client.on("data", (bytes) => {
          if (armed === null || !isMarked(bytes, armed.marker)) return void upstream.write(bytes)
          const { cut } = armed
          armed = null
          if (cut === "before COMMIT") return breakOff()
          deaf = true
          upstream.write(bytes)
        })
        upstream.on("data", (bytes) => {
          if (deaf) return breakOff()
          client.write(bytes)
        })
      })
      server.listen(0, "127.0.0.1", () =>
        resume(
          Effect.succeed({
            port: (server.address() as AddressInfo).port,
            cuts: () => broken,
            arm: (cut, marker) => {
              armed = { cut, marker }
            },
            close: () => {
              for (const socket of open) socket.destroy()
              server.close()
            }
          })
        )
      )
    }),
    ({ close }) => Effect.sync(close)
  )
