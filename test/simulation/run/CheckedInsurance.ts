import { type Connection, onSuccess } from "../engine/OutsideCall.ts"
import type { Simulation } from "../engine/Simulation.ts"
import type { Invariants } from "../invariants/Invariants.ts"
import type { DatabasePorts } from "../process/Store.ts"

type Insurance = Pick<DatabasePorts, "insurances" | "outbox">

/** Wraps the ports of insurance and its SMS. */
export const insuranceOver = (
  { ask, incarnation, write }: Connection,
  ports: Insurance,
  invariants: Invariants,
  sim: Simulation
): Insurance => {
  const { insurances, outbox } = ports
  return {
    insurances: {
      nextId: (companyId) => ask(insurances.nextId(companyId)),
      find: (companyId, id) => ask(insurances.find(companyId, id)),
      create: (id, wanted, first) => write("create", id, wanted.companyId, insurances.create(id, wanted, first)),
      resend: (companyId, id, next) => write("resend", id, companyId, insurances.resend(companyId, id, next)),
      attempt: (companyId, id) =>
        write(
          "attempt",
          id,
          companyId,
          insurances.attempt(companyId, id),
          onSuccess(() => invariants.attempted(id))
        ),
      advance: (companyId, id, chosen) =>
        write("advance", `${id} ${chosen.event}`, companyId, insurances.advance(companyId, id, chosen)),
      beginIssue: (order) => write("begin issue", order.xid, order.companyId, insurances.beginIssue(order))
    },
    outbox: {
      claim: (claim) =>
        write(
          "claim",
          `${incarnation.name} at ${sim.eventLoop.now_ms}`,
          null,
          outbox.claim(claim),
          onSuccess((claimed) => invariants.claimedMessages(claim, claimed))
        ),
      record: (sms, result, at) =>
        write(
          "record",
          sms.message.id,
          sms.companyId,
          outbox.record(sms, result, at),
          onSuccess(() => invariants.claims.released(sms.message.id))
        ),
      claimTraced: (claim) => ask(outbox.claimTraced(claim)),
      recordDelivery: (sms, result) => ask(outbox.recordDelivery(sms, result)),
      undelivered: (limit) => ask(outbox.undelivered(limit))
    }
  }
}
