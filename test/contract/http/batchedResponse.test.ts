import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { serverOptions } from "../../../facade/http/ClientErrors.ts"

/** Before this version Node sends an empty piece after a text, whether or not it compares lengths. */
const node = Number(process.versions.node.split(".")[0])

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

describe("answers that are ready in one turn of the event loop", () => {
  let server: Server
  let clients: Array<Socket> = []

  beforeEach(async () => {
    server = createServer(serverOptions)
    await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening))
  })

  afterEach(() => {
    for (const client of clients) client.destroy()
    clients = []
    server.close()
  })

  const client = (request: string): Socket => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1", () => void socket.write(request))
    clients.push(socket)
    return socket
  }

  const asked = (count: number) =>
    new Promise<ReadonlyArray<Exchange>>((all) => {
      const exchanges: Array<Exchange> = []
      server.on("request", (request, response) => {
        if (exchanges.push({ request, response }) === count) all(exchanges)
      })
    })

  const heard = (socket: Socket, ending: string) =>
    new Promise<string>((all) => {
      let said = ""
      socket.setEncoding("latin1").on("data", (more) => {
        said += more
        if (said.endsWith(ending)) all(said)
      })
    })

  it("wait for each other, and leave at its end", async () => {
    const both = asked(2)
    const answers = [1, 2].map(() => heard(client("GET / HTTP/1.1\r\n\r\n"), "done"))
    const exchanges = await both
    for (const { response } of exchanges) response.end("done")
    const sent = () => exchanges.map(({ response }) => response.writableEnded)
    assert.deepStrictEqual(sent(), [false, false])
    await new Promise((turned) => setImmediate(turned))
    assert.deepStrictEqual(sent(), [true, true])
    for (const said of await Promise.all(answers)) assert.match(said, /^HTTP\/1\.1 200 OK\r\n/)
  })

  it("are each whole where requests of one connection came together", async () => {
    server.on("request", ({ url }, response: ServerResponse) => void response.end(url === "/2" ? "second" : "first,"))
    const said = await heard(client("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n"), "second")
    assert.match(said, /^HTTP\/1\.1 200 OK\r\n(.+\r\n)+\r\nfirst,HTTP\/1\.1 200 OK\r\n(.+\r\n)+\r\nsecond$/)
  })

  it("are sent before a connection ends with them", async () => {
    server.on("request", (_request, response: ServerResponse) => void response.end("last"))
    const socket = client("GET / HTTP/1.1\r\nconnection: close\r\n\r\n")
    const ended = new Promise((end) => void socket.once("end", end))
    assert.match(await heard(socket, "last"), /connection: close/i)
    await ended
  })

  /** Answers with an announced length, of which Node is told to see that it is kept. */
  const answering = (length: number, answer: (response: ServerResponse) => void) =>
    server.on("request", (_request, response: ServerResponse) => {
      response.strictContentLength = true
      response.writeHead(200, { "content-length": String(length) })
      answer(response)
    })

  it.skipIf(node < 26)("leave as one piece where they are one text", async () => {
    const pieces: Array<unknown> = []
    answering(5, (response) => {
      const { socket } = response
      const write = socket?.write.bind(socket)
      if (socket && write) socket.write = (...piece: [never]) => pieces.push(piece[0]) > 0 && write(...piece)
      response.end("señ!")
    })
    const said = await heard(client("GET / HTTP/1.1\r\n\r\n"), "!")
    assert.deepStrictEqual(pieces, [Buffer.from(said, "latin1").toString("utf8")])
  })

  it.each<readonly [string, (response: ServerResponse) => void]>([
    ["a text that is shorter", (response) => response.end("don")],
    ["a text that is longer", (response) => response.end("done!")],
    ["a text that has as many characters, but more bytes", (response) => response.end("doñe")],
    ["a text that has as many bytes only in another encoding", (response) => response.end("doñ", "latin1")],
    ["bytes that are fewer", (response) => response.end(Buffer.from("don"))],
    [
      "pieces that are more together",
      (response) => {
        response.write("d")
        response.end("done")
      }
    ]
  ])("end with their connection where the announced length is not that of %s", async (_, answer) => {
    answering(4, answer)
    const socket = client("GET / HTTP/1.1\r\n\r\n")
    let said = ""
    socket.setEncoding("latin1").on("data", (more) => {
      said += more
    })
    await new Promise((close) => void socket.once("close", close))
    assert.notMatch(said, /\r\n\r\nd?do/)
  })

  // The library that answers has Node count what is sent, and throw where it is less than was promised.
  it.each([
    ["has gone meanwhile", (response: ServerResponse) => void response.socket?.destroy(), "done"],
    ["is promised more than there is", () => {}, "do"]
  ])("end with themselves alone where a client %s", async (_, meanwhile, body) => {
    const both = asked(2)
    const [gone, stays] = [client("GET /gone HTTP/1.1\r\n\r\n"), client("GET /stays HTTP/1.1\r\n\r\n")]
    const closed = new Promise((close) => void gone.once("close", close))
    const answer = heard(stays, "done")
    for (const { request, response } of await both) {
      const isGone = request.url === "/gone"
      response.strictContentLength = true
      if (isGone) meanwhile(response)
      setImmediate(() => {
        response.writeHead(200, { "content-length": "4" })
        response.end(isGone ? body : "done")
      })
    }
    assert.match(await answer, /done$/)
    await closed
  })
})
