import { Effect, Option } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import { Finding } from "../../../core/domain/Resolution.ts"
import { readRechargeToken } from "../../../core/domain/Sale.ts"
import { confirmResolution, proposeResolution } from "../../../core/workflows/Resolve.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { orDefault, toggle, withNote } from "../terminal/Flags.ts"
import { print } from "../terminal/Output.ts"
import { dayFlag, labelFlag, textFlag, transactionId } from "../terminal/Parameters.ts"

/** The finding (the proposed outcome) as JSON. Its fields have the names of the flags. */
const findingDocument = Finding.match({
  Failed: () => ({ resultado: "failed" }),
  Reversed: () => ({ resultado: "reversed" }),
  Stands: () => ({ resultado: "stands" }),
  Success: ({ authCode, rechargeToken, validity }) => ({
    resultado: "success",
    autorizacion: authCode,
    ...(rechargeToken !== null && { token: rechargeToken }),
    ...(validity !== null && { desde: validity.from, hasta: validity.until })
  })
})

/** Makes a finding from the flag `--as`. Only a success has further fields. */
const findingFrom = {
  success: (found: Omit<Extract<Finding, { readonly _tag: "Success" }>, "_tag">) => Finding.cases.Success.make(found),
  failed: () => Finding.cases.Failed.make({}),
  reversed: () => Finding.cases.Reversed.make({}),
  stands: () => Finding.cases.Stands.make({})
}

export const resolve = Command.make(
  "resolve",
  {
    transactionId,
    as: Flag.Literals("as", ["success", "failed", "reversed", "stands"]).pipe(
      Flag.withDescription(
        "The outcome. For a sale: success charges the held money, failed releases it. For a reversal: reversed returns the money, stands keeps the sale charged"
      )
    ),
    reason: textFlag("motivo", 500, "The proof: a statement, a ticket or a letter of the provider"),
    authCode: labelFlag(
      "autorizacion",
      100,
      "The provider's authorization code, or the policy number; required with --as success"
    ).pipe(orDefault(null, "none")),
    token: Flag.String("token").pipe(
      Flag.withDescription("For electricity: the 20 digits that the customer types into the meter"),
      withNote("such as 1234 5678 9012 3456 7890"),
      Flag.withMetavar("digits"),
      Flag.filterMap(
        (typed) => Option.fromNullOr(readRechargeToken(typed)),
        () => "Expected: 20 digits, such as 1234 5678 9012 3456 7890"
      ),
      orDefault(null, "none")
    ),
    from: dayFlag("desde", "For a policy: the first day of its validity").pipe(orDefault(null, "none")),
    until: dayFlag("hasta", "For a policy: the last day of its validity").pipe(orDefault(null, "none"))
  },
  Effect.fn(function* ({ as, authCode, from, reason, token, transactionId, until }) {
    const validity = from === null || until === null ? null : { from, until }
    const finding = findingFrom[as]({ authCode: authCode ?? "", rechargeToken: token, validity })
    const { number, operator, order } = yield* proposeResolution(transactionId, { finding, reason })
    yield* print(
      {
        transaction_id: transactionId,
        empresa_id: order.companyId,
        propuesta: number,
        ...findingDocument(finding),
        motivo: reason,
        operador: operator
      },
      `Proposal ${number}. No money has moved. A different operator must now check it with\n  saldo transactions show ${transactionId}\nand confirm it with\n  saldo transactions confirm ${transactionId} --propuesta ${number}`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.validate(({ as, authCode, from, token, until }) => {
    const wrong = (message: string) => new CliError.ValidationError({ message })
    if (as === "success" && authCode === null)
      return wrong("--as success needs --autorizacion, the proof of the delivery.")
    if (as !== "success" && (authCode ?? token ?? from ?? until) !== null) {
      return wrong(`--as ${as} takes neither --autorizacion nor --token, nor --desde and --hasta.`)
    }
    return (from === null) === (until === null) ? Effect.void : wrong("--desde and --hasta go together.")
  }),
  Command.withDescription(
    "Propose the outcome of a sale or reversal that no provider settles. No money moves until a different operator confirms the proposal. Then it is settled like a provider's answer."
  ),
  Command.withShortDescription("Propose the outcome of an unresolved sale or reversal"),
  Command.withExamples([
    {
      command: 'saldo transactions resolve 4711 --as failed --motivo "Not in the provider\'s statement of May 3"',
      description: "The sale was never delivered"
    },
    {
      command:
        'saldo transactions resolve 4711 --as reversed --motivo "Credited in the provider\'s statement of May 3"',
      description: "The sale was delivered, and the provider reversed it"
    }
  ])
)

export const confirm = Command.make(
  "confirm",
  {
    transactionId,
    number: Flag.Int("propuesta").pipe(
      Flag.withDescription(
        'The number of the proposal, which "resolve" and "show" print. It ensures that you confirm the proposal that you checked'
      ),
      Flag.withMetavar("number")
    ),
    evenUnasked: toggle("sin-preguntar", "Settle without querying the provider, because it no longer exists")
  },
  Effect.fn(function* ({ evenUnasked, number, transactionId }) {
    const { finding, operator, order, reversal, status } = yield* confirmResolution(transactionId, {
      evenUnasked,
      number
    })
    yield* print(
      {
        transaction_id: transactionId,
        empresa_id: order.companyId,
        propuesta: number,
        ...findingDocument(finding),
        status,
        ...(reversal !== null && { anulacion: reversal }),
        operador: operator
      },
      `Transaction ${transactionId} is ${status}${reversal === null ? "" : `, its reversal ${reversal}`}.`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Confirm the proposal of another operator, and settle the sale or its reversal. A proposal that was replaced in the meantime is not confirmed. The provider is queried once more, and its firm answer takes precedence."
  ),
  Command.withShortDescription("Confirm another operator's proposal"),
  Command.withExamples([
    {
      command: "saldo transactions confirm 4711 --propuesta 1",
      description: "Confirmation by a second operator"
    }
  ])
)
