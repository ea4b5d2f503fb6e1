import { Effect } from "effect"
import { Command } from "effect/cli"
import type { CellName } from "../../../core/domain/Cell.ts"
import { invariants } from "../../../core/domain/Invariants.ts"
import { Audit, type InvariantResult } from "../../../core/ports/Audit.ts"
import { proveAndRecord } from "../../../core/workflows/KeepAuditing.ts"
import { withinCell } from "../../../core/workflows/ManageCells.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { CheckFailed, type Document, print } from "../terminal/Output.ts"
import { cellFilter } from "../terminal/Parameters.ts"
import { withProgress } from "../terminal/Progress.ts"

const examinedDocument = ({ invariant, offenders, violations }: InvariantResult): Document => ({
  invariante: invariant,
  descripcion: invariants[invariant],
  ok: violations === 0,
  violaciones: violations,
  ejemplos: offenders
})

const formatExamined = ({ invariant, offenders, violations }: InvariantResult): string => {
  const statement = `${invariant.padEnd(11)}  ${invariants[invariant]}`
  return violations === 0
    ? `ok      ${statement}`
    : [`BROKEN  ${statement}: ${violations}`, ...offenders.map((one) => `          ${JSON.stringify(one)}`)].join("\n")
}

/**
 * Checks the invariants. If only one cell is checked, the result is not stored, because it says nothing about the other
 * cells.
 */
const examine = (cell: CellName | null) =>
  cell === null
    ? Effect.map(proveAndRecord(), ({ examined }) => examined)
    : withinCell(cell)(Effect.flatMap(Audit, ({ prove }) => prove))

export const audit = Command.make(
  "audit",
  { cell: cellFilter },
  Effect.fn(function* ({ cell }) {
    const examined = yield* examine(cell).pipe(withProgress("checking the invariants"))
    const ok = examined.every(({ violations }) => violations === 0)
    yield* print({ ok, invariantes: examined.map(examinedDocument) }, examined.map(formatExamined).join("\n"))
    if (!ok) return yield* new CheckFailed()
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Check all invariants on the whole database, in one snapshot, while the service runs. Exit code 1 if an invariant is violated; the first violations are shown, each with its cell. With --cell, the result is not stored."
  ),
  Command.withShortDescription("Check all invariants on the whole database"),
  Command.withExamples([{ command: "saldo audit && echo sound", description: "In a nightly job" }])
)
