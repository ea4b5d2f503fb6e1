/**
 * Things in no order, of which any can be taken out again at once. A set that is added to and deleted from is made anew
 * each time that it is full of what was deleted; one of its tables that has grown old keeps what was once in it, whole
 * requests, until all of the heap is collected.
 */
export interface Bag<Thing> {
  /** Puts it in, and gives what takes it out again, once: that tells whether it was still in. */
  readonly add: (thing: Thing) => () => boolean
  readonly all: () => ReadonlyArray<Thing>
}

export const makeBag = <Thing>(): Bag<Thing> => {
  const places: Array<{ readonly thing: Thing; at: number }> = []
  return {
    add: (thing) => {
      const place = { thing, at: places.length }
      places.push(place)
      // The last one takes the place of the one that goes.
      return () => {
        if (places[place.at] !== place) return false
        const last = places.pop()
        if (last === undefined || last === place) return true
        places[place.at] = last
        last.at = place.at
        return true
      }
    },
    all: () => places.map(({ thing }) => thing)
  }
}
