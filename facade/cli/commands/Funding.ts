import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { formatLocal } from "../../../core/domain/LocalTime.ts"
import { toPesos } from "../../../core/domain/Money.ts"
import {
  confirmFunding,
  depositOrPropose,
  Funded,
  listProposals,
  proposeAdjustment,
  rejectFunding
} from "../../../core/workflows/FundCompany.ts"
import { showCompany } from "../../../core/workflows/ManageCompany.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { fundingView } from "../../api/FundingView.ts"
import { toggle } from "../terminal/Flags.ts"
import { formatTable, print } from "../terminal/Output.ts"
import {
  adjustmentArgument,
  amountArgument,
  companyId,
  labelFlag,
  proposalNumber,
  textFlag
} from "../terminal/Parameters.ts"

/** Commands that move money by hand: deposits, adjustments, and the decisions on their proposals. */

const printProposal = ({ proposal, repeated }: Extract<Funded, { readonly _tag: "Proposed" }>) => {
  const { expiresAt, number, proposedBy } = proposal
  const made = repeated ? `Already proposed by ${proposedBy}, as proposal ${number}.` : `Proposal ${number}.`
  return print(
    { ...fundingView(proposal), ya_registrada: repeated },
    `${made} No money has moved. A different operator must check it with\n  saldo company proposals\nand confirm it before ${formatLocal(expiresAt)} with\n  saldo company confirm ${number}`
  )
}

const availableOf = (companyId: CompanyId) =>
  Effect.map(showCompany(companyId), ({ account }) => toPesos(account.balance.available))

/** Prints an entry or a proposal. */
const printFunded = (
  funded: Funded,
  wanted: { readonly companyId: CompanyId; readonly amount: number; readonly reference: string }
) =>
  Funded.$match(funded, {
    Proposed: printProposal,
    Recorded: Effect.fnUntraced(function* ({ entryId, repeated }) {
      const { amount, companyId, reference } = wanted
      const available = yield* availableOf(companyId)
      yield* print(
        {
          empresa_id: companyId,
          movimiento_id: entryId,
          monto: toPesos(amount),
          referencia: reference,
          ya_registrado: repeated,
          saldo_disponible: available
        },
        repeated
          ? `Already recorded as entry ${entryId}. Nothing was added. Available: ${available}.`
          : `Recorded as entry ${entryId}. Available: ${available}.`
      )
    })
  })

export const deposit = Command.make(
  "deposit",
  {
    companyId,
    amount: amountArgument,
    reference: labelFlag("referencia", 200, "Your reference for this deposit, such as the bank's transfer number"),
    isRepeated: toggle("repetida", "Add the money even if a deposit of another company has the same reference")
  },
  Effect.fn(function* ({ amount, companyId, isRepeated, reference }) {
    const funded = yield* depositOrPropose(companyId, amount, reference, isRepeated)
    yield* printFunded(funded, { companyId, amount, reference })
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Add money to a company, as a ledger entry. Repeating the same reference and amount changes nothing, so the command is safe to repeat. References that differ only in case, in the kind of dash or in invisible characters are the same. If a deposit of another company has the reference, nothing is added without --repetida, and the exit code is 2. A deposit above DEPOSIT_CONFIRM_ABOVE (1000000 pesos by default) becomes a proposal, which a different operator must confirm."
  ),
  Command.withShortDescription("Add money to a company, once for each reference"),
  Command.withExamples([
    { command: "saldo company deposit 7 25000 --referencia TRANSFER-88123", description: "Record a bank transfer" }
  ])
)

export const adjust = Command.make(
  "adjust",
  {
    companyId,
    amount: adjustmentArgument,
    reference: labelFlag("referencia", 200, "Your reference for this correction"),
    reason: textFlag("motivo", 500, "Why the balance is wrong")
  },
  Effect.fn(function* ({ amount, companyId, reason, reference }) {
    const funded = yield* proposeAdjustment(companyId, amount, { reason, reference })
    yield* printFunded(funded, { companyId, amount, reference })
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Propose to correct the balance of a company: add a positive amount, or take a negative amount away. No money moves until a different operator confirms the proposal. At most the available amount can be taken away; held money stays held. Repeating the same reference and amount changes nothing."
  ),
  Command.withShortDescription("Propose to correct the balance of a company"),
  Command.withExamples([
    {
      command: 'saldo company adjust 7 -25000 --referencia TRANSFER-88123-R --motivo "Transfer of another company"',
      description: "Take back a wrong deposit"
    }
  ])
)

export const proposals = Command.make(
  "proposals",
  { companyId: companyId.pipe(Argument.withDefault(null)) },
  Effect.fn(function* ({ companyId }) {
    const items = (yield* listProposals(companyId)).map(fundingView)
    yield* print({ items }, items.length === 0 ? "No proposals." : formatTable(items))
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "List the proposals of deposits and corrections, of one company or of all: pending ones first, then the newest. At most 200. A proposal expires after 24 hours."
  ),
  Command.withShortDescription("List the proposals of deposits and corrections"),
  Command.withExamples([{ command: "saldo company proposals 7", description: "The proposals of company 7" }])
)

export const confirm = Command.make(
  "confirm",
  { number: proposalNumber },
  Effect.fn(function* ({ number }) {
    const { entryId, proposal, repeated } = yield* confirmFunding(number)
    const available = yield* availableOf(proposal.companyId)
    yield* print(
      { ...fundingView(proposal), ya_registrado: repeated, saldo_disponible: available },
      repeated
        ? `You confirmed proposal ${number} before, as entry ${entryId}. Nothing was added. Available: ${available}.`
        : `Recorded as entry ${entryId}. Available: ${available}.`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Confirm the deposit or correction that a different operator proposed. The money moves in the same moment, once, even if the command is repeated."
  ),
  Command.withShortDescription("Confirm another operator's deposit or correction"),
  Command.withExamples([{ command: "saldo company confirm 12", description: "Confirm proposal 12" }])
)

export const reject = Command.make(
  "reject",
  { number: proposalNumber, reason: textFlag("motivo", 500, "Why the proposal is rejected") },
  Effect.fn(function* ({ number, reason }) {
    const proposal = yield* rejectFunding(number, reason)
    yield* print(fundingView(proposal), `Proposal ${number} is rejected. No money has moved.`)
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Reject a proposed deposit or correction, or withdraw your own. A rejected proposal cannot be confirmed any more."
  ),
  Command.withShortDescription("Reject a proposed deposit or correction"),
  Command.withExamples([
    { command: 'saldo company reject 12 --motivo "The bank has no such transfer"', description: "Reject proposal 12" }
  ])
)
