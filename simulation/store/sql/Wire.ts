import { Duplex } from "node:stream"
import { type Statement, Statements } from "./Frames.ts"

/** Who answers what comes over a wire. */
export interface Answerer {
  /** Sends back what belongs to a connection that has just been made. */
  readonly greet: (wire: Wire) => void
  readonly deal: (wire: Wire, statement: Statement) => void
}

/**
 * One end of a connection: what the driver writes is dealt with statement by statement, in this process. An answer is
 * sent, and arrives whenever the world lets it; answers arrive in the order in which they were sent.
 */
export class Wire extends Duplex {
  private readonly statements = new Statements()
  /** What has been sent and has not arrived; null is the end of the connection. */
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
    // What was written behind the statement at which the connection broke reaches nobody.
    for (const statement of whole) if (!this.isCut) this.answerer.deal(this, statement)
    done()
  }

  send(bytes: Uint8Array): void {
    this.underWay.push(bytes)
  }

  /** Cuts the connection. The driver hears so after what was sent before. */
  cut(): void {
    this.isCut = true
    this.underWay.push(null)
  }

  /** The driver hears the next thing. */
  arrive(): void {
    const next = this.underWay.shift()
    if (this.destroyed || next === undefined) return
    if (next === null) this.destroy(new Error("the connection was cut"))
    else this.push(next)
  }
}
