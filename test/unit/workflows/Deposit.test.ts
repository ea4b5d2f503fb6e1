import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { Amount } from "../../../core/domain/Money.ts"
import { Atomic } from "../../../core/ports/Atomic.ts"
import { type AuditEvent, AuditLog } from "../../../core/ports/AuditLog.ts"
import { Companies } from "../../../core/ports/Companies.ts"
import { FundingProposals } from "../../../core/ports/FundingProposals.ts"
import { Ledger } from "../../../core/ports/Ledger.ts"
import { depositOrPropose } from "../../../core/workflows/FundCompany.ts"
import { company } from "../../support/Examples.ts"

describe("a deposit whose process dies before it responds", () => {
  it.effect("leaves an audit record that contains the company, the amount and the reference", () => {
    const audited: Array<AuditEvent> = []
    const layer = Layer.mergeAll(
      Layer.mock(Companies, { find: () => Effect.succeedSome(company) }),
      Layer.mock(FundingProposals, {}),
      Layer.succeed(Atomic, { transact: (writes) => writes }),
      Layer.mock(Ledger, { deposit: () => Effect.die(new Error("killed after the deposit")) }),
      Layer.succeed(AuditLog, { record: (event) => Effect.sync(() => void audited.push(event)) })
    )
    return Effect.gen(function* () {
      const exit = yield* Effect.exit(depositOrPropose(company.id, Amount.make(150_000), "BANCO-1"))
      assert.isTrue(Exit.isFailure(exit))
      assert.deepStrictEqual(
        audited.map(({ action, companyId, details }) => ({ action, companyId, details })),
        [{ action: "deposit_asked", companyId: company.id, details: { amount: 150_000, reference: "BANCO-1" } }]
      )
    }).pipe(Effect.provide(layer))
  })
})
