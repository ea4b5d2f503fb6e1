import type { IncomingMessage, Server, ServerResponse } from "node:http"

// Node's parser drops what came in one piece with such a request, and the answer to what follows would be taken for
// that to what was dropped.
const endWithIt = ({ headers }: IncomingMessage, response: ServerResponse): void => {
  if (headers.upgrade !== undefined) response.setHeader("connection", "close")
}

/**
 * Makes a request that offers another protocol one like any other, and the last of its connection. Effect's HTTP server
 * listens for upgrades, whereupon Node leaves it the connection, and nobody closes one whose client goes on sending.
 * Node's shouldUpgradeCallback is not in all versions that this may run on.
 */
export const withoutUpgrades = <S extends Server>(server: S): S => {
  server.on("newListener", (event) => {
    // It is added only after this; nothing is read from a connection in between.
    if (event === "upgrade") queueMicrotask(() => void server.removeAllListeners("upgrade"))
  })
  server.on("request", endWithIt)
  server.on("checkContinue", endWithIt)
  return server
}
