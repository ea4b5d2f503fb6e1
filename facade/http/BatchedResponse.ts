import { type IncomingMessage, ServerResponse } from "node:http"
import { Predicate } from "effect"

let leaving: Array<() => void> = []

const leaveAll = (): void => {
  const ready = leaving
  leaving = []
  for (const leave of ready) leave()
}

/**
 * An answer that leaves at the end of this turn of the event loop, after the others that are ready in it. The answers
 * of a group are ready at once. Sent one right after the other, the first wakes whoever reads them and the rest find it
 * awake; with the making of the next answer between any two, each would wake it anew.
 */
export class BatchedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** The length that its head has announced, as long as nothing of it was sent. */
  #announced: unknown

  override writeHead(...head: ReadonlyArray<unknown>): this {
    const headers = head.at(-1)
    this.#announced = Predicate.hasProperty(headers, "content-length") ? headers["content-length"] : undefined
    return Reflect.apply(super.writeHead, this, head)
  }

  override write(...piece: ReadonlyArray<unknown>): boolean {
    this.#announced = undefined
    return Reflect.apply(super.write, this, piece)
  }

  override end(...rest: ReadonlyArray<unknown>): this {
    if (leaving.length === 0) setImmediate(leaveAll)
    leaving.push(() => this.#leave(rest))
    return this
  }

  // Where Node is to compare the length of an answer with the one announced, it sends an empty piece after the last one.
  // An answer that is one text is compared here, and leaves as one piece; by older versions of Node, still as two.
  #compare([all, ...others]: ReadonlyArray<unknown>): void {
    if (typeof all !== "string" || others.length > 0) return
    if (String(Buffer.byteLength(all)) === this.#announced) this.strictContentLength = false
  }

  // Its client may be gone by now, and then it cannot be written. Nobody waits above who would catch that: thrown, it
  // would end the server.
  #leave(rest: ReadonlyArray<unknown>): void {
    if (this.destroyed) return
    this.#compare(rest)
    try {
      Reflect.apply(super.end, this, rest)
    } catch {
      this.destroy()
    }
  }
}
