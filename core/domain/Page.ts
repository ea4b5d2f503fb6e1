import type { DayRange } from "./LocalTime.ts"

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

/** A filter of a list by day and by id. Contract: 4.7. */
export interface ListFilter extends DayRange {
  /** The highest id in the list. New rows have higher ids, so a list with this limit does not grow. */
  readonly upTo?: number | undefined
}

/** A page of a list. The ids of the rows rise in the order in which the rows are written. */
export interface FrozenSlice<A> extends Slice<A> {
  /** The `upTo` with which the other pages show the same list as this page. 0 if there are no rows. */
  readonly upTo: number
}

/** Whether a row with this id belongs to the list. */
export const isUpTo = ({ upTo }: ListFilter, id: number): boolean => upTo === undefined || id <= upTo

/** The `upTo` that a page returns: the `upTo` of the call, but at most the id of the newest row in the list. */
export const frozenAt = ({ upTo }: ListFilter, newest: number): number =>
  upTo === undefined ? newest : Math.min(upTo, newest)
