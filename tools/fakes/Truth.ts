/** What a provider did with its side of a sale, whatever it told anybody about it. */
interface Done {
  /** How often it delivered, or undertook to deliver. */
  readonly times: number
  /** What it took for all of that and kept, in centavos. */
  readonly charged: number
}

const nothing: Done = { times: 0, charged: 0 }

/**
 * What a fake provider really did, by xid. A fake writes it down at the moment when it can no longer be stopped from
 * delivering; a test compares it with the ledger.
 */
export class Truth {
  readonly #done = new Map<string, Done>()

  deliver(xid: string, amount: number): void {
    const { charged, times } = this.of(xid)
    this.#done.set(xid, { times: times + 1, charged: charged + amount })
  }

  /** What was delivered is taken back, and its money returned. */
  takeBack(xid: string): void {
    this.#done.set(xid, nothing)
  }

  of(xid: string): Done {
    return this.#done.get(xid) ?? nothing
  }

  isDelivered(xid: string): boolean {
    return this.of(xid).times > 0
  }

  /** All that was delivered. */
  get delivered(): ReadonlyArray<string> {
    return [...this.#done.keys()].filter((xid) => this.isDelivered(xid))
  }

  /** All that was delivered more than once. */
  get doubled(): ReadonlyArray<string> {
    return this.delivered.filter((xid) => this.of(xid).times > 1)
  }
}
