import { writeSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Effect, Layer, Logger, Schema } from "effect"
import { CellName, NodeName } from "../../../core/domain/Cell.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { CellMoves } from "../../../core/ports/CellMoves.ts"
import { CompanyMoves } from "../../../core/ports/CompanyMoves.ts"
import { moveCell } from "../../../core/workflows/MoveCell.ts"
import { moveCompany } from "../../../core/workflows/MoveCompany.ts"
import { operatorPorts } from "../../../facade/AppLayer.ts"
import { type MovePoint, PlannedMove } from "./MovePoints.ts"
import * as SharedClock from "./SharedClock.ts"

// The command that moves a company or a cell. It kills itself at the planned step.

const die = Effect.sync(() => {
  // A synchronous write, because buffered output is lost when the process dies.
  writeSync(1, "reached\n")
  process.kill(process.pid, "SIGKILL")
})

const main = Effect.gen(function* () {
  const planned = yield* Schema.decodeEffect(Schema.fromJsonString(PlannedMove))(yield* Config.String("CRASH_MOVE"))
  const { cell, companyId, delay_ms, point, target } = planned

  /** Wraps the call of a step. At the planned step, the process dies before, during or after the call. */
  const at = <A, E, R>(step: MovePoint["step"], call: Effect.Effect<A, E, R>) => {
    if (step !== point.step) return call
    if (point.moment === "before") return Effect.andThen(die, call)
    if (point.moment === "after") return Effect.tap(call, die)
    const later = Effect.andThen(
      Effect.promise(() => setTimeout(delay_ms)),
      die
    )
    return Effect.raceFirst(call, Effect.andThen(later, Effect.never))
  }

  const companyMoves = Layer.effect(
    CompanyMoves,
    Effect.map(CompanyMoves, (real) => ({
      ...real,
      close: (move, now) => at("close", real.close(move, now)),
      transfer: (move) => at("transfer", real.transfer(move)),
      clear: (move, lost) => at("clear", real.clear(move, lost)),
      end: (move, where) => at("end", real.end(move, where))
    }))
  )
  const cellMoves = Layer.effect(
    CellMoves,
    Effect.map(CellMoves, (real) => ({
      ...real,
      transfer: (move) => at("transfer", real.transfer(move)),
      clear: (move, lost) => at("clear", real.clear(move, lost)),
      end: (move, node) => at("end", real.end(move, node))
    }))
  )
  writeSync(1, "ready\n")
  if (point.what === "company") {
    yield* Effect.provide(moveCompany(CompanyId.make(companyId), CellName.make(target)), companyMoves)
  } else {
    yield* Effect.provide(moveCell(CellName.make(cell), NodeName.make(target)), cellMoves)
  }
})

main.pipe(
  Effect.provide(operatorPorts),
  Effect.provideService(Logger.LogToStderr, true),
  Effect.provide(Layer.unwrap(Effect.map(Config.String("CRASH_TIME_FILE"), SharedClock.layer))),
  NodeRuntime.runMain
)
