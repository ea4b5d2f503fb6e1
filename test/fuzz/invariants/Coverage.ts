import { procedureOf } from "../request/OperationCall.ts"
import { endpointKey, type Operation } from "../request/Operations.ts"
import { type Exchange, trpcItems } from "./Exchange.ts"

/** What was seen of a path and method. */
export interface EndpointCoverage {
  readonly door: string
  readonly requests: number
  readonly seen: ReadonlyArray<number>
  /** What the document says that there is, but 500, and nobody saw. */
  readonly never: ReadonlyArray<number>
}

/** What was seen of tRPC. */
interface TrpcCoverage {
  readonly procedures: ReadonlyArray<string>
  readonly calls: number
}

export interface Coverage {
  readonly count: (exchange: Exchange) => void
  readonly doors: () => ReadonlyArray<EndpointCoverage>
  readonly trpc: () => TrpcCoverage
  /** Answers to requests that go nowhere. */
  readonly elsewhere: () => number
}

export const coverageOf = (operations: ReadonlyArray<Operation>): Coverage => {
  const seen = new Map(operations.map((operation) => [endpointKey(operation), new Map<number, number>()]))
  const procedures = new Map<string, number>()
  let elsewhere = 0

  const countRest = ({ answer: { status }, served }: Exchange) => {
    const statuses = served === undefined ? undefined : seen.get(endpointKey(served))
    if (statuses === undefined) elsewhere += 1
    else statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }

  return {
    count: (exchange) => {
      if (exchange.face === "rest") return countRest(exchange)
      trpcItems(exchange).forEach((_, index) => {
        const call = exchange.filled[index]
        if (call === undefined) return
        const procedure = procedureOf(call)
        procedures.set(procedure, (procedures.get(procedure) ?? 0) + 1)
      })
    },
    doors: () =>
      operations.map((operation) => {
        const door = endpointKey(operation)
        const statuses = seen.get(door) ?? new Map<number, number>()
        return {
          door,
          requests: [...statuses.values()].reduce((sum, count) => sum + count, 0),
          seen: [...statuses.keys()].toSorted((a, b) => a - b),
          never: operation.statuses.filter((status) => status !== 500 && !statuses.has(status))
        }
      }),
    trpc: () => ({
      procedures: [...procedures.keys()].toSorted(),
      calls: [...procedures.values()].reduce((sum, count) => sum + count, 0)
    }),
    elsewhere: () => elsewhere
  }
}

/** Where a request that does all right was never made, although the document says that there is one. */
export const neverSucceeded = (doors: ReadonlyArray<EndpointCoverage>): ReadonlyArray<string> =>
  doors.flatMap(({ door, never }) =>
    never.filter((status) => status < 300).map((status) => `${door} was never answered with ${status}`)
  )
