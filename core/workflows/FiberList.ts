import type { Fiber } from "effect"

interface Place {
  readonly fiber: Fiber.Fiber<unknown, unknown>
  at: number
}

/**
 * Fibers until they end. A set, as FiberSet has one, is made anew each time that it is full of what was deleted; a table
 * of it that has grown old keeps the fibers that were once in it, and whole requests with them, until all of the heap
 * is collected.
 */
export interface FiberList {
  readonly add: (fiber: Fiber.Fiber<unknown, unknown>) => void
  /** Those that have not ended. */
  readonly all: () => ReadonlyArray<Fiber.Fiber<unknown, unknown>>
}

export const makeFiberList = (): FiberList => {
  const places: Array<Place> = []
  // The last one takes the place of the one that goes.
  const remove = (place: Place): void => {
    const last = places.pop()
    if (last === undefined || last === place) return
    places[place.at] = last
    last.at = place.at
  }
  return {
    add: (fiber) => {
      const place = { fiber, at: places.length }
      places.push(place)
      fiber.addObserver(() => remove(place))
    },
    all: () => places.map(({ fiber }) => fiber)
  }
}
