import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { insurer as insuring } from "../../contract/support/Insuring.ts"
import type { ApiResponse } from "../../support/ApiDocument.ts"
import { Outsiders } from "./Production.ts"

export type Environment = "development" | "production"

/** A company with money for everything, that may sell insurance and look things up at the provider. */
export const company = (environment: Environment) =>
  insuring({ company: { environment }, token: { realLookups: true } })

/** What each flow sells, by service; a lookup comes first where an option is bought. */
export const wares: ReadonlyArray<readonly [service_id: number, identifier: string, amount: number | null]> = [
  [1, "8095550012", 100],
  [2, "8295550031", 50.5],
  [3, "8495550044", null],
  [4, "NIC-4455", 250],
  [5, "CONTRATO-77", null],
  [7, "JUGADOR-8", 75],
  [8, "PRESTAMO-9", 1_000]
]

/** What everybody outside has heard so far. */
const heard = Outsiders.useSync(({ insurer, provider, sms }) => [
  provider.requests.length,
  insurer.requests.length,
  sms.requests.length
])

/** Does what nobody outside may hear of. */
export const unheard = Effect.fnUntraced(function* <A, E, R>(what: Effect.Effect<A, E, R>) {
  const before = yield* heard
  const answer = yield* what
  assert.deepStrictEqual(yield* heard, before)
  return answer
})

/** Status and code of what was refused. */
export const refusal = ({ body, status }: ApiResponse) => [status, body.error.code]
