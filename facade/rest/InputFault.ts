import { Result } from "effect"
import { type PublicError, toPublic } from "../../core/domain/ErrorCatalogue.ts"
import { Invalid } from "../../core/domain/Errors.ts"
import type { Endpoint } from "./Endpoint.ts"
import { byHeader } from "./KeyHeader.ts"

/** What HTTP refuses of any endpoint, even of one that takes nothing. */
const ofHead = new Invalid({ details: { headers: "invalido" } })

/** Inputs worth a refusal: without what has to be there, and then with each field given twice. */
const wrongInputs = ({ input, meta }: Endpoint): ReadonlyArray<object> => {
  const names = Object.keys(input.schema.fields)
  const placed = Object.fromEntries(
    names.filter((name) => meta.openapi.path.includes(`{${name}}`)).map((name) => [name, "1"])
  )
  return [placed, ...names.map((name) => ({ ...placed, [name]: [] }))]
}

/** What an endpoint says of an input that it does not take, as its own reader says it. */
export const inputFault = (endpoint: Endpoint): PublicError => {
  const faults = wrongInputs(endpoint).flatMap((raw) => {
    const read = endpoint.input.read(raw)
    const fault = Result.isFailure(read) ? byHeader(read.failure) : undefined
    return fault?._tag === "Invalid" ? [fault] : []
  })
  return toPublic(faults[0] ?? ofHead)
}
