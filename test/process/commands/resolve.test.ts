import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { by, CommandLine } from "../../support/CommandLine.ts"
import { first, moneyOf, proposalFlag, unresolvedOperations } from "../support/Resolutions.ts"

layer(CommandLine.layer, { excludeTestServices: true })((it) => {
  describe.each(unresolvedOperations)("$operation without an answer from its provider", (operation) => {
    const { before, code, done, refused, second, table, unresolved } = operation

    it.effect.each(["done", "refused"] as const)(
      "is settled as %s once a second operator confirms the proposal",
      (end) =>
        Effect.gen(function* () {
          const { answer, refusal } = yield* CommandLine
          const { ends, money, proposal } = operation[end]
          const { company, id } = yield* unresolved(`${code}-${end}`)
          yield* answer("transactions", "resolve", id, ...proposal, ...first)
          assert.deepStrictEqual(yield* moneyOf(company), before, "a proposal moves nothing")
          // A command line without an operator account cannot confirm either.
          for (const [operator, why] of [
            [first, "same_operator"],
            [[], "no_account"]
          ] as const) {
            const own = yield* refusal("transactions", "confirm", id, ...proposalFlag(1), ...operator)
            assert.deepStrictEqual([own.exit, own.code, own.details.motivo], [1, "RESOLUTION_NOT_CONFIRMABLE", why])
          }
          const confirmed = yield* answer("transactions", "confirm", id, ...proposalFlag(1), ...second)
          assert.deepInclude(confirmed, ends)
          assert.deepStrictEqual(yield* moneyOf(company), money)
          assert.isTrue((yield* answer("audit")).ok)
          const again = yield* refusal("transactions", "confirm", id, ...proposalFlag(1), ...second)
          assert.deepStrictEqual(
            [again.code, again.details.motivo],
            ["TRANSACTION_NOT_RESOLVABLE", operation.settledReason]
          )
          assert.deepStrictEqual(yield* moneyOf(company), money)
          const sql = yield* PgClient.PgClient
          const audited = yield* sql`
          select action, details ->> 'operator' as operator
          from directory.audit_event
          where company_id = ${company} and action like 'resolution%'
          order by id`
          assert.deepStrictEqual(audited, [
            { action: "resolution_proposed", operator: "turno-1" },
            { action: "resolution_agreed", operator: "turno-2" },
            { action: "resolution_confirmed", operator: "turno-2" }
          ])
          const keys = yield* sql`
          select outcome ->> '_tag' as outcome, settled_at is not null as settled
          from cell.idempotency
          where company_id = ${company} and outcome ->> '_tag' = 'Pending'`
          assert.deepStrictEqual(
            keys,
            [{ outcome: "Pending", settled: true }],
            "a retry with this key receives the stored 202"
          )
        })
    )

    // The provider's definite answer, and the proposal that contradicts it.
    it.effect.each([
      ["done", "refused"],
      ["refused", "done"]
    ] as const)("is not settled against the provider's definite answer %s", ([said, proposed]) =>
      Effect.gen(function* () {
        const { answer, refusal } = yield* CommandLine
        const [identifier, name] = operation.said[said]
        const { company, id } = yield* unresolved(`${code}-SAID-${said}`, identifier)
        yield* answer("transactions", "resolve", id, ...operation[proposed].proposal, ...first)
        const error = yield* refusal("transactions", "confirm", id, ...proposalFlag(1), ...second)
        assert.deepStrictEqual([error.code, error.details.proveedor], ["SUPPLIER_DISAGREES", name])
        assert.match(error.message, operation.named(id))
        assert.deepStrictEqual(yield* moneyOf(company), before)
      })
    )

    it.effect("is not settled when the proposal has changed since the second operator read it", () =>
      Effect.gen(function* () {
        const { answer, refusal } = yield* CommandLine
        const { company, id } = yield* unresolved(`${code}-CHANGED`)
        const seen = yield* answer("transactions", "resolve", id, ...refused.proposal, ...first)
        const since = yield* answer("transactions", "resolve", id, ...done.proposal, ...first)
        assert.deepStrictEqual([seen.propuesta, since.propuesta], [1, 2])
        const error = yield* refusal("transactions", "confirm", id, ...proposalFlag(1), ...second)
        assert.deepStrictEqual([error.code, error.details.motivo], ["RESOLUTION_NOT_CONFIRMABLE", "changed"])
        assert.deepStrictEqual(yield* moneyOf(company), before)
        const { historia } = yield* answer("transactions", "show", id)
        const shown = historia.flatMap(({ detalles }: { detalles?: { proposal?: number } }) => detalles?.proposal ?? [])
        assert.deepStrictEqual(shown, [1, 2])
        const confirmed = yield* answer("transactions", "confirm", id, ...proposalFlag(2), ...second)
        assert.deepInclude(confirmed, done.ends)
      })
    )

    it.effect("keeps a confirmed proposal when the confirming process died before the settlement", () =>
      Effect.gen(function* () {
        const { answer, refusal } = yield* CommandLine
        const { company, id } = yield* unresolved(`${code}-DIED`)
        yield* answer("transactions", "resolve", id, ...done.proposal, ...first)
        const sql = yield* PgClient.PgClient
        yield* sql`
          update cell.resolution
          set confirmed_by = 'turno-2', confirmed_at = proposed_at - interval '1 minute'
          where company_id = ${company}`
        const error = yield* refusal("transactions", "resolve", id, ...refused.proposal, by("turno-3"))
        assert.deepStrictEqual([error.code, error.details.motivo], ["TRANSACTION_NOT_RESOLVABLE", "confirmed"])
        const audited = yield* sql`
          select details ->> 'operator' as operator
          from directory.audit_event
          where company_id = ${company} and action = 'resolution_proposed'`
        assert.deepStrictEqual(audited, [{ operator: "turno-1" }])
        const confirmed = yield* answer("transactions", "confirm", id, ...proposalFlag(1), ...second)
        assert.deepInclude(confirmed, done.ends)
      })
    )

    it.effect("cannot be confirmed without a proposal", () =>
      Effect.gen(function* () {
        const { refusal } = yield* CommandLine
        const { id } = yield* unresolved(`${code}-NONE`)
        const { details } = yield* refusal("transactions", "confirm", id, ...proposalFlag(1), ...second)
        assert.strictEqual(details.motivo, "no_proposal")
      })
    )

    it.effect("cannot be resolved while its own request may still be running", () =>
      Effect.gen(function* () {
        const { refusal } = yield* CommandLine
        const { company, id } = yield* unresolved(`${code}-YOUNG`)
        const sql = yield* PgClient.PgClient
        yield* sql`
          update ${sql.literal(table)}
          set created_at = created_at + interval '6 minutes'
          where company_id = ${company} and processed_at is null`
        const error = yield* refusal("transactions", "resolve", id, ...done.proposal, ...first)
        assert.deepStrictEqual([error.code, error.details.motivo], ["TRANSACTION_NOT_RESOLVABLE", operation.young])
        assert.match(error.message, operation.named(id))
      })
    )
  })
})
