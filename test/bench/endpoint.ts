import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

// The endpoint of all webhooks. It answers each delivery immediately. GET returns the deliveries that have arrived since the
// last GET: the id of the event and the time of arrival.

let arrivals: Array<readonly [id: string, at_ms: number]> = []

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify(arrivals))
    arrivals = []
    return
  }
  arrivals.push([String(request.headers["webhook-id"]), Date.now()])
  request.resume().on("end", () => response.end())
})

server.listen(0, "127.0.0.1", () => console.log(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}`))
