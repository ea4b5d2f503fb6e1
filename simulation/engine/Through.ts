import { DateTime, Effect, type Exit } from "effect"
import type { AuditEvent } from "../../core/ports/AuditLog.ts"
import type { Reserved } from "../../core/ports/Ledger.ts"
import type { Laws } from "../laws/Laws.ts"
import type { Ports } from "../store/Ports.ts"
import { read, transact } from "./Call.ts"
import type { Life } from "./Life.ts"
import type { Sim } from "./Sim.ts"

const ignored = () => {}

/** The ports of the database as a process reaches them: over a connection that takes time and may be cut. */
export const through = (sim: Sim, life: Life, ports: Ports, laws: Laws): Ports => {
  /** One transaction, after which the company's books are looked at. */
  const write = <A, E>(
    method: string,
    subject: string | number,
    companyId: number | null,
    work: Effect.Effect<A, E>,
    heard: (exit: Exit.Exit<A, E>) => void = ignored
  ): Effect.Effect<A, E> =>
    transact(sim, life, method, String(subject), work, (exit) => {
      heard(exit)
      sim.store.wrote(companyId)
      if (companyId === null) return
      const { available, held } = sim.store.eyes.balance(companyId)
      sim.trace.sample(companyId, available, held)
    })

  const onSuccess =
    <A>(look: (value: A) => void) =>
    <E>(exit: Exit.Exit<A, E>) => {
      if (exit._tag === "Success") look(exit.value)
    }

  const { accounts, adjustments, insurances, ledger, options, outbox, record, resolutions } = ports
  const { reversals, transactions, unresolved } = ports
  return {
    accounts: {
      read: (companyId, periods) => read(sim, life, accounts.read(companyId, periods)),
      configure: (companyId, settings, at) =>
        write("configure", companyId, companyId, accounts.configure(companyId, settings, at))
    },
    adjustments: {
      adjust: (wanted) => write("adjust", wanted.reference, wanted.companyId, adjustments.adjust(wanted))
    },
    insurances: {
      nextId: read(sim, life, insurances.nextId),
      find: (companyId, id) => read(sim, life, insurances.find(companyId, id)),
      create: (id, wanted, first) => write("create", id, wanted.companyId, insurances.create(id, wanted, first)),
      resend: (companyId, id, next) => write("resend", id, companyId, insurances.resend(companyId, id, next)),
      attempt: (companyId, id) =>
        write(
          "attempt",
          id,
          companyId,
          insurances.attempt(companyId, id),
          onSuccess(() => laws.attempted(id))
        ),
      advance: (companyId, id, chosen) =>
        write("advance", `${id} ${chosen.event}`, companyId, insurances.advance(companyId, id, chosen)),
      beginIssue: (order) => write("begin issue", order.xid, order.companyId, insurances.beginIssue(order))
    },
    ledger: {
      reserve: (intent) => {
        laws.orders.reserving(intent.xid)
        return write(
          "reserve",
          intent.xid,
          intent.companyId,
          ledger.reserve(intent),
          onSuccess((reserved: Reserved) => laws.reserved(intent, reserved))
        )
      },
      recall: (companyId, key, fingerprint) => read(sim, life, ledger.recall(companyId, key, fingerprint)),
      settle: (settlement) =>
        write(
          "settle",
          settlement.order.xid,
          settlement.order.companyId,
          ledger.settle(settlement),
          onSuccess((settled) => laws.settled(life, settlement, settled))
        ),
      deposit: (wanted) => write("deposit", wanted.reference, wanted.companyId, ledger.deposit(wanted))
    },
    options: {
      find: (companyId, optionId) => read(sim, life, options.find(companyId, optionId)),
      store: (offered) => write("store", offered[0]?.id ?? "nothing", null, options.store(offered))
    },
    outbox: {
      claim: (claim) =>
        write(
          "claim",
          `${life.name} at ${sim.world.now_ms}`,
          null,
          outbox.claim(claim),
          onSuccess((claimed) => laws.claimedMessages(claim, claimed))
        ),
      record: (sms, result, at) =>
        write(
          "record",
          sms.message.id,
          sms.companyId,
          outbox.record(sms, result, at),
          onSuccess(() => laws.claims.released(sms.message.id))
        ),
      undelivered: (limit) => read(sim, life, outbox.undelivered(limit))
    },
    resolutions: {
      find: (id) => read(sim, life, resolutions.find(id)),
      propose: (order, proposal) => write("propose", order.xid, null, resolutions.propose(order, proposal)),
      confirm: (order, proposal, by) => write("confirm", order.xid, null, resolutions.confirm(order, proposal, by))
    },
    reversals: {
      begin: (intent) => write("begin", intent.xid, intent.companyId, reversals.begin(intent)),
      settle: (settlement) => {
        const { companyId } = settlement.under.reversal.order
        return write(
          "settle reversal",
          settlement.under.reversal.xid,
          companyId,
          reversals.settle(settlement),
          onSuccess((settled) => laws.settledReversal(life, settlement, settled))
        )
      },
      claim: (claim) =>
        write(
          "claim reversals",
          `${life.name} at ${DateTime.toEpochMillis(claim.now)}`,
          null,
          reversals.claim(claim),
          onSuccess((claimed) =>
            laws.claims.claimed(
              claim,
              claimed.map(({ under }) => under.reversal.xid)
            )
          )
        )
    },
    transactions: {
      find: (companyId, id) => read(sim, life, transactions.find(companyId, id)),
      list: (companyId, filter, page) => read(sim, life, transactions.list(companyId, filter, page))
    },
    unresolved: {
      claim: (claim) =>
        write(
          "claim sales",
          `${life.name} at ${DateTime.toEpochMillis(claim.now)}`,
          null,
          unresolved.claim(claim),
          onSuccess((claimed) =>
            laws.claims.claimed(
              claim,
              claimed.map(({ order }) => `sale ${order.transactionId}`)
            )
          )
        )
    },
    record: (event: AuditEvent) =>
      Effect.tap(read(sim, life, record(event)), () => Effect.sync(() => laws.alerts.recorded(event)))
  }
}
