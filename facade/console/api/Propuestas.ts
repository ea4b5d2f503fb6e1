import { Effect, Schema } from "effect"
import type { CompanyId } from "../../../core/domain/Ids.ts"
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
import { amount } from "../../api/Fields.ts"
import { fundingView } from "../../api/FundingView.ts"
import { input } from "../../api/Input.ts"
import { adjustment, empresaId, label, propuestaId, text } from "./Fields.ts"
import { change, read } from "./Procedure.ts"

const availableOf = (companyId: CompanyId) =>
  Effect.map(showCompany(companyId), ({ account }) => toPesos(account.balance.available))

/** Either the new entry, or the proposal that another operator must confirm. */
const fundedView = Effect.fnUntraced(function* (companyId: CompanyId, funded: Funded) {
  const saldo_disponible = yield* availableOf(companyId)
  return Funded.$match(funded, {
    Recorded: ({ entryId, repeated }) => ({
      propuesta: null,
      movimiento_id: entryId,
      ya_registrado: repeated,
      saldo_disponible
    }),
    Proposed: ({ proposal, repeated }) => ({
      propuesta: fundingView(proposal),
      movimiento_id: null,
      ya_registrado: repeated,
      saldo_disponible
    })
  })
})

/** Deposits and corrections, and the decisions on their proposals. */
export const propuestas = {
  listar: read({
    gate: "read",
    input: input({ empresa_id: Schema.optionalKey(empresaId) }),
    handle: ({ input: { empresa_id } }) => Effect.map(listProposals(empresa_id ?? null), (all) => all.map(fundingView))
  }),
  depositar: change({
    gate: "deposit",
    input: input({
      empresa_id: empresaId,
      monto: amount,
      referencia: label(200),
      repetida: Schema.optionalKey(Schema.Boolean)
    }),
    handle: ({ input: { empresa_id, monto, referencia, repetida } }) =>
      Effect.flatMap(depositOrPropose(empresa_id, monto, referencia, repetida), (funded) =>
        fundedView(empresa_id, funded)
      )
  }),
  ajustar: change({
    gate: "propose",
    input: input({ empresa_id: empresaId, monto: adjustment, referencia: label(200), motivo: text(500) }),
    handle: ({ input: { empresa_id, monto, motivo, referencia } }) =>
      Effect.flatMap(proposeAdjustment(empresa_id, monto, { reason: motivo, reference: referencia }), (funded) =>
        fundedView(empresa_id, funded)
      )
  }),
  confirmar: change({
    gate: "confirm",
    input: input({ propuesta: propuestaId }),
    handle: Effect.fnUntraced(function* ({ input: { propuesta } }) {
      const { proposal, repeated } = yield* confirmFunding(propuesta)
      return {
        ...fundingView(proposal),
        ya_registrado: repeated,
        saldo_disponible: yield* availableOf(proposal.companyId)
      }
    })
  }),
  /**
   * The gate admits the role cajero, because operators may withdraw deposits that they proposed. The workflow checks
   * the other conditions.
   */
  rechazar: change({
    gate: "deposit",
    input: input({ propuesta: propuestaId, motivo: text(500) }),
    handle: ({ input: { motivo, propuesta } }) => Effect.map(rejectFunding(propuesta, motivo), fundingView)
  })
}
