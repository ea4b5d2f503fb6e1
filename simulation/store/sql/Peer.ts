import type { Incarnation } from "../../engine/Incarnation.ts"
import type { Sim } from "../../engine/Sim.ts"
import type { Step } from "../../faults/Step.ts"
import { greeting, lostConflict, type Statement } from "./Frames.ts"
import type { Server } from "./Server.ts"
import type { Answerer, Wire } from "./Wire.ts"

/** The statements that an adapter makes again when the transaction was lost, by what their text says. */
const repeated: ReadonlyArray<readonly [string, Step]> = [
  ["cell.reserve(", "wire: reserve"],
  ["cell.settle(", "wire: settle"],
  ["directory.deposit(", "wire: deposit"],
  ["directory.adjust(", "wire: adjust"],
  ["cell.begin_reversal(", "wire: begin reversal"],
  ["cell.settle_reversal(", "wire: settle reversal"],
  ["recorded as (", "wire: record"]
]

const stepOf = (sql: string): Step | null => repeated.find(([part]) => sql.includes(part))?.[1] ?? null

/**
 * The server as a process reaches it: a statement is one transaction, or none when the connection is cut before or the
 * transaction loses a conflict; it is one that nobody hears of when the connection is cut afterwards.
 *
 * @param ran is told of every statement that was run.
 */
export const peerOf = (sim: Sim, incarnation: Incarnation, server: Server, ran: (sql: string) => void): Answerer => {
  const { mishaps, trace, world } = sim
  const later = (wire: Wire) => world.soon(incarnation, () => wire.arrive())
  const say = (wire: Wire, bytes: Uint8Array) => {
    wire.send(bytes)
    later(wire)
  }
  const cut = (wire: Wire) => {
    wire.cut()
    later(wire)
  }
  const run = ({ bytes, sql }: Statement): Uint8Array => {
    const answer = server.run(bytes)
    ran(sql)
    return answer
  }
  return {
    greet: (wire) => say(wire, greeting),
    deal: (wire, statement) => {
      if (incarnation.dead) return
      if (world.now_ms < sim.outageUntil_ms) return cut(wire)
      const step = stepOf(statement.sql)
      const fault = step === null ? null : mishaps.at(step, incarnation.name)
      if (fault !== null) trace.add({ at_ms: world.now_ms, where: incarnation.name, what: `${step}: ${fault}`, fault })
      switch (fault) {
        case "cut":
          return cut(wire)
        case "conflict":
          return say(wire, lostConflict)
        case "cut after commit":
          run(statement)
          return cut(wire)
        default:
          return say(wire, run(statement))
      }
    }
  }
}
