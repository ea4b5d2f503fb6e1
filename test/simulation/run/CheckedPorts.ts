import { Effect } from "effect"
import type { Proposal } from "../../../core/domain/Resolution.ts"
import type { AuditEvent } from "../../../core/ports/AuditLog.ts"
import type { FollowUpClaim } from "../../../core/ports/FollowUps.ts"
import type { Reserved } from "../../../core/ports/Ledger.ts"
import type { Incarnation } from "../engine/EventLoop.ts"
import { Activity } from "../engine/Faults.ts"
import { type Connection, claimName, connectionOf, onSuccess } from "../engine/OutsideCall.ts"
import type { Simulation } from "../engine/Simulation.ts"
import type { Invariants } from "../invariants/Invariants.ts"
import type { DatabasePorts } from "../process/Store.ts"
import { eventsOver } from "./CheckedEvents.ts"
import { insuranceOver } from "./CheckedInsurance.ts"

const checkName = ({ check }: FollowUpClaim): string => `check after ${check.hours} hours`

type Sales = Pick<
  DatabasePorts,
  "accounts" | "adjustments" | "followUps" | "ledger" | "options" | "transactions" | "unresolved"
>

const salesOver = ({ ask, incarnation, write }: Connection, ports: Sales, invariants: Invariants): Sales => {
  const { accounts, adjustments, followUps, ledger, options, transactions, unresolved } = ports
  return {
    accounts: {
      read: (companyId, periods) => ask(accounts.read(companyId, periods)),
      configure: (companyId, settings, at) =>
        write("configure", companyId, companyId, accounts.configure(companyId, settings, at))
    },
    adjustments: {
      adjust: (wanted) => write("adjust", wanted.reference, wanted.companyId, adjustments.adjust(wanted))
    },
    followUps: {
      claim: (claim) =>
        write(
          "claim check",
          `${claim.check.hours} by ${claimName(incarnation, claim)}`,
          null,
          followUps.claim(claim),
          onSuccess((claimed) => {
            if (claimed !== null) invariants.claims.claimed(claim, [checkName(claim)])
          })
        ).pipe(
          Effect.map((claimed) =>
            claimed === null
              ? null
              : {
                  ...claimed,
                  finish: (areAsked: boolean) =>
                    write(
                      "finish check",
                      `${claim.check.hours} by ${claimName(incarnation, claim)}`,
                      null,
                      claimed.finish(areAsked),
                      onSuccess(() => invariants.claims.released(checkName(claim)))
                    )
                }
          )
        ),
      stands: (sale) => ask(followUps.stands(sale))
    },
    ledger: {
      reserve: (intent) => {
        invariants.orders.reserving(intent.xid)
        return write(
          "reserve",
          intent.xid,
          intent.companyId,
          ledger.reserve(intent),
          onSuccess((reserved: Reserved) => invariants.reserved(intent, reserved))
        )
      },
      recall: (companyId, key, fingerprint) => ask(ledger.recall(companyId, key, fingerprint)),
      settle: (settlement) =>
        write(
          "settle",
          settlement.order.xid,
          settlement.order.companyId,
          ledger.settle(settlement),
          onSuccess((settled) => invariants.settled(incarnation, settlement, settled))
        ),
      deposit: (wanted) => write("deposit", wanted.reference, wanted.companyId, ledger.deposit(wanted))
    },
    options: {
      find: (companyId, optionId) => ask(options.find(companyId, optionId)),
      store: (offered) => write("store", offered[0]?.id ?? "nothing", null, options.store(offered))
    },
    transactions: {
      find: (companyId, id) => ask(transactions.find(companyId, id)),
      list: (companyId, filter, page) => ask(transactions.list(companyId, filter, page))
    },
    unresolved: {
      claim: (claim) =>
        write(
          "claim sales",
          claimName(incarnation, claim),
          null,
          unresolved.claim(claim),
          onSuccess((claimed) =>
            invariants.claims.claimed(
              claim,
              claimed.map(({ order }) => `sale ${order.transactionId}`)
            )
          )
        )
    }
  }
}

const closingsOver = (
  { ask, write }: Connection,
  { closings }: Pick<DatabasePorts, "closings">
): Pick<DatabasePorts, "closings"> => ({
  closings: {
    ...closings,
    unclosed: ask(closings.unclosed),
    end: (day) => write("end", `${day.companyId} ${day.day}`, day.companyId, closings.end(day)),
    figures: (day) => ask(closings.figures(day)),
    add: (day, text) => write("add", `${day.companyId} ${day.day}`, day.companyId, closings.add(day, text)),
    before: (day) => ask(closings.before(day))
  }
})

const resolutionStep = (step: "propose" | "confirm", { reversalId }: Pick<Proposal, "reversalId">): string =>
  reversalId === null ? step : `${step} reversal`

const fundingOver = (
  { ask, write }: Connection,
  { funding }: Pick<DatabasePorts, "funding">,
  { funding: checks }: Invariants
): Pick<DatabasePorts, "funding"> => ({
  funding: {
    find: (number) => ask(funding.find(number)),
    list: (companyId, limit) => ask(funding.list(companyId, limit)),
    propose: (request) =>
      write(
        "propose funding",
        request.reference,
        request.companyId,
        funding.propose(request),
        onSuccess((proposed) => {
          if (proposed._tag === "Proposed") checks.proposed(proposed.number, request)
        })
      ),
    confirm: (proposal, confirmation) =>
      write(
        "confirm funding",
        proposal.reference,
        proposal.companyId,
        funding.confirm(proposal, confirmation),
        onSuccess((confirmed) => {
          if (confirmed._tag === "Recorded") checks.confirmed(proposal.number, confirmation)
        })
      ),
    reject: (proposal, rejection) =>
      write(
        "reject funding",
        proposal.reference,
        proposal.companyId,
        funding.reject(proposal, rejection),
        onSuccess((isRejected) => {
          if (isRejected) checks.rejected(proposal.number, rejection.by)
        })
      )
  }
})

type Afterwards = Pick<DatabasePorts, "resolutions" | "reversals">

/** Wraps the ports for what may follow a sale: its reversal, or its resolution by operators. */
const afterwardsOver = (
  { ask, incarnation, write }: Connection,
  ports: Afterwards,
  invariants: Invariants
): Afterwards => {
  const { resolutions, reversals } = ports
  return {
    resolutions: {
      find: (id) => ask(resolutions.find(id)),
      propose: (order, proposal) =>
        write(
          resolutionStep("propose", proposal),
          order.xid,
          null,
          resolutions.propose(order, proposal),
          onSuccess((number) => {
            if (number !== null) invariants.agreements.proposed(order, proposal, number)
          })
        ),
      confirm: (order, proposal, confirmation) =>
        write(
          resolutionStep("confirm", proposal),
          order.xid,
          null,
          resolutions.confirm(order, proposal, confirmation),
          onSuccess(({ _tag }) => {
            if (_tag === "Recorded") invariants.agreements.confirmed(order, proposal, confirmation.by)
          })
        )
    },
    reversals: {
      begin: (intent) => write("begin", intent.xid, intent.companyId, reversals.begin(intent)),
      settle: (settlement) => {
        const { order, xid } = settlement.unresolved.reversal
        return write(
          "settle reversal",
          xid,
          order.companyId,
          reversals.settle(settlement),
          onSuccess((settled) => invariants.settledReversal(incarnation, settlement, settled))
        )
      },
      claim: (claim) =>
        write(
          "claim reversals",
          claimName(incarnation, claim),
          null,
          reversals.claim(claim),
          onSuccess((claimed) =>
            invariants.claims.claimed(
              claim,
              claimed.map(({ unresolved }) => unresolved.reversal.xid)
            )
          )
        )
    }
  }
}

/**
 * Wraps the database ports of a process. Each call uses a simulated connection, and the invariants check its result.
 */
export const checkedPorts = (
  sim: Simulation,
  incarnation: Incarnation,
  ports: DatabasePorts,
  invariants: Invariants
): DatabasePorts => {
  const connection = connectionOf(sim, incarnation)
  return {
    ...salesOver(connection, ports, invariants),
    ...fundingOver(connection, ports, invariants),
    ...closingsOver(connection, ports),
    ...afterwardsOver(connection, ports, invariants),
    ...insuranceOver(connection, ports, invariants, sim),
    ...eventsOver(connection, ports, invariants, sim),
    cells: ports.cells,
    record: (event: AuditEvent) =>
      Effect.tap(connection.ask(ports.record(event)), () =>
        Effect.map(Activity, (activity) => invariants.alerts.recorded(event, activity))
      )
  }
}
