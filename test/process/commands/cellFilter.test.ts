import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../../support/CommandLine.ts"
import { insureInEveryState, sellInEveryState } from "../../support/EveryState.ts"
import { addCell } from "../../support/SeveralCells.ts"

const commands = [
  ["transactions", "list"],
  ["transactions", "list", "--pendientes"],
  ["insurance", "list"],
  ["status"],
  ["audit"]
]

layer(CommandLine.layer, { excludeTestServices: true })("--cell", (it) => {
  it.effect("limits the lists, saldo status and the audit to one cell", () =>
    Effect.gen(function* () {
      yield* sellInEveryState(7)
      yield* insureInEveryState(8)
      yield* addCell("norte")
      const { answer, run } = yield* CommandLine
      for (const command of commands) {
        const all = yield* answer(...command, "--cell", "cell")
        const none = yield* answer(...command, "--cell", "norte")
        if (Array.isArray(all.items)) {
          assert.isAbove(all.pagination.total, 0, command.join(" "))
          assert.strictEqual(none.pagination.total, 0, command.join(" "))
        }
        const unknown = yield* run(...command, "--cell", "oeste")
        assert.strictEqual(unknown.code, 1, command.join(" "))
        assert.include(unknown.stderr, "oeste")
      }
      const csv = yield* run("transactions", "list", "--csv", "--cell", "norte")
      assert.strictEqual(csv.stdout.trim().split("\n").length, 1)
    })
  )

  it.effect("is refused together with --empresa", () =>
    Effect.gen(function* () {
      const { run } = yield* CommandLine
      for (const command of ["transactions", "insurance"])
        assert.strictEqual((yield* run(command, "list", "--cell", "cell", "--empresa", "7")).code, 2)
    })
  )
})
