import { procedureOf } from "../request/OperationCall.ts"
import { endpointKey, type Operation } from "../request/Operations.ts"
import { type Exchange, trpcItems } from "./Exchange.ts"

/** Requests and statuses that were seen at one path and method. */
export interface EndpointCoverage {
  readonly endpoint: string
  readonly requests: number
  readonly seen: ReadonlyArray<number>
  /** Documented statuses, except 500, that no response had. */
  readonly never: ReadonlyArray<number>
}

/** Procedures and calls that were seen over tRPC. */
interface TrpcCoverage {
  readonly procedures: ReadonlyArray<string>
  readonly calls: number
}

export interface Coverage {
  readonly count: (exchange: Exchange) => void
  readonly endpoints: () => ReadonlyArray<EndpointCoverage>
  readonly trpc: () => TrpcCoverage
  /** Number of responses to requests that match no operation. */
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
      if (exchange.protocol === "rest") return countRest(exchange)
      trpcItems(exchange).forEach((_, index) => {
        const call = exchange.filled[index]
        if (call === undefined) return
        const procedure = procedureOf(call)
        procedures.set(procedure, (procedures.get(procedure) ?? 0) + 1)
      })
    },
    endpoints: () =>
      operations.map((operation) => {
        const endpoint = endpointKey(operation)
        const statuses = seen.get(endpoint) ?? new Map<number, number>()
        return {
          endpoint,
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

/** Operations that lack a response with one of their documented success statuses. */
export const neverSucceeded = (endpoints: ReadonlyArray<EndpointCoverage>): ReadonlyArray<string> =>
  endpoints.flatMap(({ endpoint, never }) =>
    never.filter((status) => status < 300).map((status) => `${endpoint} never returned ${status}`)
  )
