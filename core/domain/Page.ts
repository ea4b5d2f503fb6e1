/** A page of a list. Numbers begin at 1. Contract: 4.7. */
export interface Page {
  readonly page: number
  readonly perPage: number
}

/** The items of one page and the length of the whole list. */
export interface Slice<A> {
  readonly items: ReadonlyArray<A>
  readonly total: number
}
