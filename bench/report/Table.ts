import { table } from "../../facade/cli/terminal/Output.ts"
import type { Results, Section } from "../stages/Bench.ts"
import { amount, goalOf, ratioOf, verdictOf } from "./Words.ts"

const rowsOf = ({ figures, title }: Section) =>
  figures.map((figure) => ({
    [title]: figure.what,
    Saldo: amount(figure.ours, figure.unit),
    other: amount(figure.theirs, figure.unit),
    ratio: ratioOf(figure),
    goal: goalOf(figure),
    "": verdictOf(figure)
  }))

/** The figures and the proofs, for a terminal. */
export const textOf = ({ proofs, sections }: Results): string =>
  [
    ...sections.map((section) => table(rowsOf(section))),
    proofs.map(({ detail, ok, what }) => `${ok ? "ok      " : "BROKEN  "}${what}: ${detail}`).join("\n")
  ].join("\n\n")
