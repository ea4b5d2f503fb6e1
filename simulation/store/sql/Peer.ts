import type { Incarnation } from "../../engine/Incarnation.ts"
import type { Sim } from "../../engine/Sim.ts"
import type { Step } from "../../faults/Step.ts"
import { greeting, lostConflict, type Statement } from "./Frames.ts"
import type { Server } from "./Server.ts"
import type { Answerer, Wire } from "./Wire.ts"

/** Statements that an adapter retries after a rollback. Each is recognised by a part of its SQL. */
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
 * The server as one process reaches it, with faults. A cut before the commit or a conflict runs no transaction. A cut
 * after the commit runs it, but the process receives no response.
 *
 * @param ran receives the SQL of every executed statement.
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
