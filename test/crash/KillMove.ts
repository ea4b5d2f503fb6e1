import { join } from "node:path"
import { Effect, Option } from "effect"
import { CellName, NodeName } from "../../core/domain/Cell.ts"
import { moveCell } from "../../core/workflows/MoveCell.ts"
import { moveCompany } from "../../core/workflows/MoveCompany.ts"
import { secondNode } from "./environment/Environment.ts"
import { type FaultContext, waitDuringLoad } from "./FaultContext.ts"
import { untilDone } from "./OperatorWork.ts"
import { startChild } from "./processes/ChildProcess.ts"
import type { MovePoint } from "./processes/MovePoints.ts"

/** Longest time from the start of a step to the death of the command "during" this step. */
const delay_max_ms = 200

/**
 * Maximum number of time jumps during a move. After these jumps the time passes at its usual speed, because a slow machine
 * could otherwise never connect to Postgres within the timeout.
 */
const jumps_max = 300

/**
 * Lets the time pass four times as fast while an operator moves rows, because a move waits until all servers know the
 * directory. Each jump of the time is short, so that no server sleeps past a timeout.
 */
const whileTimePasses = <A, E, R>({ environment: { time } }: FaultContext, work: Effect.Effect<A, E, R>) => {
  const jumps = Effect.repeat(Effect.andThen(time.jump("150 millis"), Effect.sleep("50 millis")), { times: jumps_max })
  return Effect.raceFirst(work, Effect.andThen(jumps, Effect.never))
}

/**
 * Moves the company of the second node, or the cell of this node, to the first node while clients buy. The command is killed in
 * a step and repeated, which must finish the move. Then another move brings the company or the cell back.
 *
 * @returns whether the command died in that step.
 */
export const killMove = Effect.fnUntraced(function* (context: FaultContext, point: MovePoint) {
  const { chance, environment, log } = context
  const { customers, directory, mover, programs, time } = environment
  const [home, target] = point.what === "company" ? [secondNode.cell, "sur"] : [secondNode.name, "main"]
  const customer = customers.find(({ cell }) => cell === secondNode.cell)
  if (customer === undefined) return yield* Effect.die(new Error("no company is on the second node"))
  const { cell, companyId } = customer
  yield* waitDuringLoad(context)

  const planned = { point, companyId, cell, target, delay_ms: chance.between(1, delay_max_ms) }
  const child = yield* startChild({
    file: programs.moverMain,
    environment: { ...mover, CRASH_MOVE: JSON.stringify(planned) },
    log: join(directory, "mover.log")
  })
  // A jump of the time during the start would expire the timeout of the command's first connection.
  yield* time.still(Effect.ignore(child.lineAfter("ready")))
  const seen = yield* Effect.option(whileTimePasses(context, child.lineAfter("reached")))
  yield* child.ended
  log.add(`the move of the ${point.what} was ${Option.isSome(seen) ? "" : "not "}killed ${point.moment} ${point.step}`)

  const move = Effect.fnUntraced(function* (to: string) {
    if (point.what === "company") yield* untilDone(time.on(moveCompany(companyId, CellName.make(to))))
    else yield* untilDone(time.on(moveCell(cell, NodeName.make(to))))
  })
  yield* whileTimePasses(context, move(target))
  log.add(`the ${point.what} is in ${target}`)
  yield* whileTimePasses(context, move(home))
  log.add(`the ${point.what} is in ${home} again`)
  return Option.isSome(seen)
}, Effect.scoped)
