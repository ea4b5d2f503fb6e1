/** Which part of a list, from page 1. Contract: 4.7. */
export interface Page {
  readonly page: number
  readonly perPage: number
}

/** Some of a list, and how long the whole of it is. */
export interface Slice<A> {
  readonly items: ReadonlyArray<A>
  readonly total: number
}
