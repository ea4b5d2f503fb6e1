import { Buffer } from "node:buffer"
import { Duplex } from "node:stream"

/** The messages of the Postgres wire protocol that the simulation reads or writes. */

/** Types of the client messages that the simulation reads. */
const messageTypes = { bind: "B", parse: "P", query: "Q", sync: "S", terminate: "X" } as const

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

const message = (letter: string, body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(letter), int32(body.length + 4), body])

const text = (...parts: ReadonlyArray<string>): Buffer => Buffer.from(parts.map((part) => `${part}\0`).join(""))

const ready = message("Z", Buffer.from("I"))

/** The server's reply to a new connection that needs no password. */
export const greeting = Buffer.concat([
  message("R", int32(0)),
  message("S", text("client_encoding", "UTF8")),
  message("S", text("server_version", "18")),
  message("K", Buffer.concat([int32(1), int32(1)])),
  ready
])

/** The server's reply to a transaction with a serialization conflict. */
export const conflictError = Buffer.concat([
  message(
    "E",
    Buffer.concat([
      text("SERROR", "VERROR", "C40001", "Mcould not serialize access due to concurrent update"),
      Buffer.alloc(1)
    ])
  ),
  ready
])

/** The message that rolls back a transaction. */
export const rollback = message(messageTypes.query, text("rollback"))

/** The messages of one statement, and its SQL. */
export interface WireStatement {
  readonly bytes: Uint8Array
  readonly sql: string
}

/** The null-terminated text at a position, and the position after it. */
const textAt = (bytes: Buffer, from: number): readonly [string, number] => {
  const end = bytes.indexOf(0, from)
  return [bytes.toString("utf8", from, end), end + 1]
}

/** Splits the bytes from a client into the greeting and the statements. */
class StatementParser {
  private left: Buffer = Buffer.alloc(0)
  private isGreeted = false
  /** SQL text of prepared statements, by name. */
  private readonly prepared = new Map<string, string>()

  /** Adds received bytes. Returns the statements that are complete. */
  take(chunk: Uint8Array): { readonly greets: boolean; readonly whole: ReadonlyArray<WireStatement> } {
    this.left = Buffer.concat([this.left, chunk])
    const greets = !this.isGreeted && this.greet()
    const whole: Array<WireStatement> = []
    let from = 0
    let at = 0
    let sql = ""
    while (this.isGreeted && at + 5 <= this.left.length) {
      const letter = String.fromCharCode(this.left[at] as number)
      const end = at + this.left.readInt32BE(at + 1) + 1
      if (end > this.left.length) break
      sql = this.read(letter, at + 5) ?? sql
      at = end
      if (letter === messageTypes.sync || letter === messageTypes.query)
        whole.push({ bytes: this.left.subarray(from, at), sql })
      else if (letter !== messageTypes.terminate) continue
      from = at
      sql = ""
    }
    this.left = this.left.subarray(from)
    return { greets, whole }
  }

  /** The SQL to which a message refers; null if it refers to no SQL. */
  private read(letter: string, from: number): string | null {
    if (letter === messageTypes.query) return textAt(this.left, from)[0]
    if (letter === messageTypes.parse) {
      const [name, next] = textAt(this.left, from)
      const [sql] = textAt(this.left, next)
      this.prepared.set(name, sql)
      return sql
    }
    if (letter !== messageTypes.bind) return null
    const [, next] = textAt(this.left, from)
    return this.prepared.get(textAt(this.left, next)[0]) ?? null
  }

  private greet(): boolean {
    if (this.left.length < 4 || this.left.length < this.left.readInt32BE(0)) return false
    this.left = this.left.subarray(this.left.readInt32BE(0))
    this.isGreeted = true
    return true
  }
}

/** Answers the statements of a connection. */
export interface ConnectionHandler {
  /** Sends the server's greeting to a new connection. */
  readonly greet: (wire: WireSocket) => void
  readonly respond: (wire: WireSocket, statement: WireStatement) => void
}

/**
 * The socket of a connection, as the driver uses it. Statements are answered in this process. A response arrives when
 * the event loop delivers it, and responses keep their order.
 */
export class WireSocket extends Duplex {
  private readonly statements = new StatementParser()
  /** Responses that were sent and have not arrived yet. Null marks the end of the connection. */
  private readonly underWay: Array<Uint8Array | null> = []
  private isCut = false
  private readonly answerer: ConnectionHandler

  constructor(answerer: ConnectionHandler) {
    super()
    this.answerer = answerer
  }

  override _read(): void {}

  override _write(chunk: Uint8Array, _: string, done: () => void): void {
    const { greets, whole } = this.statements.take(chunk)
    if (greets) this.answerer.greet(this)
    // Discards all statements that follow the statement at which the connection broke.
    for (const statement of whole) if (!this.isCut) this.answerer.respond(this, statement)
    done()
  }

  send(bytes: Uint8Array): void {
    this.underWay.push(bytes)
  }

  /**
   * Cuts the connection. The driver first receives the responses that were sent before the cut, then notices the cut.
   */
  cut(): void {
    this.isCut = true
    this.underWay.push(null)
  }

  /** Delivers the next response to the driver. */
  arrive(): void {
    const next = this.underWay.shift()
    if (this.destroyed || next === undefined) return
    if (next === null) this.destroy(new Error("the connection was cut"))
    else this.push(next)
  }
}
