import { createSocket } from "node:dgram"
import { once } from "node:events"
import { Effect } from "effect"

/** The records of a name. A name without an entry does not exist. */
export interface NameRecords {
  readonly four?: ReadonlyArray<string>
  /** IPv6 addresses, each as 16 bytes in hex. */
  readonly six?: ReadonlyArray<string>
  /** Whether the server refuses queries for IPv6 addresses. */
  readonly brokenSix?: boolean
}

const typeOfFour = 1
const typeOfSix = 28
const noError = 0
const serverFailure = 2
const noSuchName = 3

const header_bytes = 12

/** Reads the name in a query, and the offset of the record type that follows the name. */
const readName = (query: Buffer): readonly [name: string, end: number] => {
  const labels: Array<string> = []
  let at = header_bytes
  while (query[at] !== 0) {
    const length = query.readUInt8(at)
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += length + 1
  }
  return [labels.join("."), at + 1]
}

const record = (type: number, data: Buffer): Buffer => {
  const head = Buffer.alloc(12)
  // Compression pointer: the position of the name in the query, instead of the name itself.
  head.writeUInt16BE(0xc000 | header_bytes, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

const answerTo = (query: Buffer, names: Readonly<Record<string, NameRecords>>): Buffer => {
  const [name, end] = readName(query)
  const type = query.readUInt16BE(end)
  const records = names[name.toLowerCase()]
  const broken = records?.brokenSix === true && type === typeOfSix
  const four = (records?.four ?? []).map((address) => Buffer.from(address.split(".").map(Number)))
  const six = (records?.six ?? []).map((address) => Buffer.from(address, "hex"))
  const answers = type === typeOfFour ? four : type === typeOfSix && !broken ? six : []
  const header = Buffer.alloc(header_bytes)
  query.copy(header, 0, 0, 2)
  const code = records === undefined ? noSuchName : broken ? serverFailure : noError
  // The flags of a response to a recursive query.
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(answers.length, 6)
  return Buffer.concat([header, query.subarray(header_bytes, end + 4), ...answers.map((data) => record(type, data))])
}

/** A name server on a free local port, as `address:port`. It stops with the scope. */
export const startNameServer = (names: Readonly<Record<string, NameRecords>>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = createSocket("udp4")
      socket.on("message", (query, { address, port }) => socket.send(answerTo(query, names), port, address))
      await once(socket.bind(0, "127.0.0.1"), "listening")
      return socket
    }),
    (socket) => Effect.sync(() => socket.close())
  ).pipe(Effect.map((socket) => `127.0.0.1:${socket.address().port}`))
