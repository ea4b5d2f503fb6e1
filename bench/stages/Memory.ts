import { Effect } from "effect"
import { companies_max } from "../support/Companies.ts"
import { alone, type Figure } from "../support/Figures.ts"
import { measure } from "../support/Measure.ts"
import { growth_MBperHour, highest_MB, type Sample, watching } from "../support/Memory.ts"
import { Progress } from "../support/Progress.ts"
import { saleBySaldo } from "../support/Shape.ts"
import type { Booked } from "./History.ts"

/** What a server that was watched had in memory. */
export const highest = (samples: ReadonlyArray<Sample>): Figure =>
  alone({ what: "Memory under load, at the most", unit: "MB", goal: null }, highest_MB(samples))

/** Keeps a server selling for so many minutes, and watches its memory. */
export const soak = Effect.fnUntraced(function* ({ book, service }: Booked, minutes: number) {
  const { options, step } = yield* Progress
  const load = {
    urls: [service.url],
    shape: saleBySaldo(companies_max),
    connections: options.connections,
    seconds: minutes * 60
  }
  const { result, samples } = yield* step(
    `Selling for ${minutes} min`,
    load.seconds,
    watching(service.pid, measure(load))
  )
  book.answered += result.succeeded
  const figures: ReadonlyArray<Figure> = [
    highest(samples),
    alone({ what: "Growth over the second half", unit: "MB/h", goal: null }, growth_MBperHour(samples)),
    alone({ what: "Sales meanwhile", unit: "/s", goal: null }, result.perSecond)
  ]
  return { figures, samples }
})
