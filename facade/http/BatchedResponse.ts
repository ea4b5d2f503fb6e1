import { type IncomingMessage, ServerResponse } from "node:http"

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
  override end(...rest: ReadonlyArray<unknown>): this {
    if (leaving.length === 0) setImmediate(leaveAll)
    leaving.push(() => this.#leave(rest))
    return this
  }

  // Its client may be gone by now, and then it cannot be written. Nobody waits above who would catch that: thrown, it
  // would end the server.
  #leave(rest: ReadonlyArray<unknown>): void {
    if (this.destroyed) return
    try {
      Reflect.apply(super.end, this, rest)
    } catch {
      this.destroy()
    }
  }
}
