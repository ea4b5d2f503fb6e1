import { Duplex } from "node:stream"
import { type Statement, Statements } from "./Frames.ts"

/** Answers the statements of a connection. */
export interface Answerer {
  /** Sends the server's greeting to a new connection. */
  readonly greet: (wire: Wire) => void
  readonly deal: (wire: Wire, statement: Statement) => void
}

/**
 * A connection's socket as the driver uses it. Statements are answered in this process. A response arrives when the
 * event loop delivers it, and responses keep their order.
 */
export class Wire extends Duplex {
  private readonly statements = new Statements()
  /** Responses sent and not arrived yet. Null marks the end of the connection. */
  private readonly underWay: Array<Uint8Array | null> = []
  private isCut = false
  private readonly answerer: Answerer

  constructor(answerer: Answerer) {
    super()
    this.answerer = answerer
  }

  override _read(): void {}

  override _write(chunk: Uint8Array, _: string, done: () => void): void {
    const { greets, whole } = this.statements.take(chunk)
    if (greets) this.answerer.greet(this)
    // Statements written after the one at which the connection broke are discarded.
    for (const statement of whole) if (!this.isCut) this.answerer.deal(this, statement)
    done()
  }

  send(bytes: Uint8Array): void {
    this.underWay.push(bytes)
  }

  /** Cuts the connection. The driver notices it after the responses sent before. */
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
