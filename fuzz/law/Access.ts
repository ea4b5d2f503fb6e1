import { Predicate } from "effect"
import { operationIdOf } from "../../facade/rest/DocumentedRouter.ts"
import { endpoints } from "../../facade/rest/Endpoint.ts"
import { type Broken, type Ended, type Exchange, endsOf, isDone } from "./Exchange.ts"

const permissions = new Map(
  endpoints.map((endpoint) => {
    const { callers } = endpoint.meta.gate
    return [operationIdOf(endpoint), callers._tag === "Permitted" ? callers.permission : undefined]
  })
)

const broken = (what: string): ReadonlyArray<Broken> => [{ law: "nobody does what they may not", what }]

const admission = ({ caller }: Exchange, { operation }: Ended): ReadonlyArray<Broken> => {
  if (!operation.guarded) return []
  if (caller.companyId === null) return broken("credentials that must not be let in were")
  const needed = permissions.get(operation.name)
  return caller.permission === null || caller.permission === needed
    ? []
    : broken(`a token for ${caller.permission} did what needs ${needed}`)
}

/** What an answer names that belongs to somebody. */
const namesIn = (told: Ended["told"]): ReadonlyArray<string> => {
  const items = told?.["items"]
  const all = [told, ...(Array.isArray(items) ? items : [])]
  return all.flatMap((each) =>
    ["transaction_id", "seguro_id"].flatMap((field) =>
      Predicate.hasProperty(each, field) && typeof each[field] === "number" ? [`${field} ${each[field]}`] : []
    )
  )
}

export interface AccessLaw {
  readonly faults: (exchange: Exchange) => ReadonlyArray<Broken>
}

/** Nobody is let in who must not be, nobody is shown what belongs to another company. Contract: 1 and 5. */
export const accessLaw = (): AccessLaw => {
  const owners = new Map<string, number>()

  const ownership = ({ caller: { companyId } }: Exchange, ended: Ended): ReadonlyArray<Broken> => {
    if (companyId === null) return []
    const names = namesIn(ended.told)
    const foreign = names.filter((name) => (owners.get(name) ?? companyId) !== companyId)
    if (foreign.length === 0) for (const name of names) owners.set(name, companyId)
    return foreign.flatMap((name) => broken(`${name} of company ${owners.get(name)} was shown to ${companyId}`))
  }

  return {
    faults: (exchange) =>
      endsOf(exchange).flatMap((ended) => [
        ...(isDone(ended) ? admission(exchange, ended) : []),
        ...ownership(exchange, ended)
      ])
  }
}
