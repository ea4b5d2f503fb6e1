import { Schema } from "effect"

const steps = { company: ["close", "transfer", "clear", "end"], cell: ["transfer", "clear", "end"] } as const
const moments = ["before", "during", "after"] as const

/** The step of a move at which the moving command is killed. */
export const MovePoint = Schema.Struct({
  what: Schema.Literals(["company", "cell"]),
  step: Schema.Literals(steps.company),
  moment: Schema.Literals(moments)
})
export type MovePoint = typeof MovePoint.Type

/** All steps of the move of a company, or of a cell. */
export const movePoints = (what: MovePoint["what"]): ReadonlyArray<MovePoint> =>
  steps[what].flatMap((step) => moments.map((moment) => ({ what, step, moment })))

/** A move, and the time from the start of a step to the death of the command during this step. */
export const PlannedMove = Schema.Struct({
  point: MovePoint,
  companyId: Schema.Int,
  cell: Schema.String,
  target: Schema.String,
  delay_ms: Schema.Int
})
