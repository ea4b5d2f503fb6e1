import { DateTime, Effect } from "effect"
import { Insurances } from "../../../core/ports/Insurances.ts"
import { newCode } from "../../../core/workflows/SendCode.ts"
import { insurance } from "../../support/InsuranceExample.ts"

/** Staged by a process that died before it could send. */
export const orphan = Effect.gen(function* () {
  const insurances = yield* Insurances
  const id = yield* insurances.nextId
  const beginning = { ...insurance, createdAt: yield* DateTime.now }
  return yield* insurances.create(id, beginning, yield* newCode(id, beginning))
})
