import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../../support/CommandLine.ts"
import { failed, first, proposalFlag, second, success, unresolvedSale } from "../support/Resolutions.ts"

layer(CommandLine.layer, { excludeTestServices: true })("a sale that operators resolve", (it) => {
  it.effect("keeps the delivery details of the provider, not those of the operators", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { id } = yield* unresolvedSale("PROVEN", "8095550123", "electricity_prepaid")
      const proposed = yield* answer(
        "transactions",
        "resolve",
        id,
        ...success,
        "--token",
        "12345678901234567890",
        ...first
      )
      assert.strictEqual(proposed.token, "1234 5678 9012 3456 7890")
      yield* answer("transactions", "confirm", id, ...proposalFlag(1), ...second)
      const { auth_code, recharge_token } = yield* answer("transactions", "show", id)
      assert.match(auth_code, /^SBX/)
      assert.match(recharge_token, /^\d{4}( \d{4}){4}$/)
      assert.notStrictEqual(recharge_token, "1234 5678 9012 3456 7890")
    })
  )

  it.effect("of prepaid electricity needs the token for the meter to be resolved as a success", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { id } = yield* unresolvedSale("LIGHT", null, "electricity_prepaid")
      const without = yield* refusal("transactions", "resolve", id, ...success, ...first)
      assert.deepStrictEqual([without.exit, without.details.motivo], [1, "no_token"])
      assert.match(without.message, /--token/)
      yield* answer("transactions", "resolve", id, ...success, "--token", "1234-5678-9012-3456-7890", ...first)
      yield* answer("transactions", "confirm", id, ...proposalFlag(1), ...second)
      const { recharge_token } = yield* answer("transactions", "show", id)
      assert.strictEqual(recharge_token, "1234 5678 9012 3456 7890")
    })
  )

  // Flags -> what the error message names.
  it.effect.each([
    [["--as", "success", "--motivo", "x"], /--autorizacion/],
    [[...failed, "--autorizacion", "OP-1"], /--as failed/],
    [[...failed, "--token", "12345678901234567890"], /--as failed/],
    [[...success, "--token", "1234"], /--token/],
    [[...success, "--desde", "2027-01-01"], /--desde/],
    [[...success, "--desde", "2027-02-28", "--hasta", "2027-02-30"], /--hasta/],
    [["--as", "maybe", "--motivo", "x"], /success/]
  ] as const)("is not resolved with the flags %s", ([flags, speaks]) =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { exit, message } = yield* refusal("transactions", "resolve", "1", ...flags, ...first)
      assert.strictEqual(exit, 2)
      assert.match(message, speaks)
    })
  )

  it.effect("must exist to be resolved", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { code } = yield* refusal("transactions", "resolve", "999999999", ...failed, ...first)
      assert.strictEqual(code, "TRANSACTION_NOT_FOUND")
    })
  )
})
