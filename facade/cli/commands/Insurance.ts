import { Effect } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import { InsuranceState } from "../../../core/domain/InsuranceState.ts"
import { formatLocal } from "../../../core/domain/LocalTime.ts"
import type { MaskedInsurance } from "../../../core/domain/MaskedInsurance.ts"
import { Centavos, toPesos } from "../../../core/domain/Money.ts"
import { listInsurances } from "../../../core/workflows/ListInsurances.ts"
import { withinCell } from "../../../core/workflows/ManageCells.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { pagesOf } from "../../api/Output.ts"
import { orDefault } from "../terminal/Flags.ts"
import { type Document, formatTable, print } from "../terminal/Output.ts"
import { cellFilter, companyFilter, pageNumber, pageSize } from "../terminal/Parameters.ts"
import { formatPagePosition, formatUnreadable } from "./TransactionDocuments.ts"

/** An insurance as JSON, with the field names that the API uses. */
const insuranceDocument = ({ policy, total, vehicle, ...insurance }: MaskedInsurance): Document => ({
  seguro_id: insurance.id,
  empresa_id: insurance.companyId,
  estado: insurance.state,
  ambiente: insurance.environment,
  service_id: insurance.serviceId,
  placa: insurance.plate,
  titular: insurance.holder,
  telefono: insurance.phone,
  vehiculo: {
    marca: vehicle.brand,
    modelo: vehicle.model,
    anio: vehicle.year,
    tipo: vehicle.type,
    chasis: vehicle.chassis
  },
  plan: insurance.plan,
  total: total === null ? null : toPesos(Centavos.make(total)),
  renovacion: insurance.renewal,
  terminal_id: insurance.terminalId,
  transaction_id: insurance.transactionId,
  poliza: policy === null ? null : { numero: policy.number, desde: policy.validity.from, hasta: policy.validity.until },
  created_at: formatLocal(insurance.createdAt)
})

const insuranceRow = (insurance: MaskedInsurance): Document => {
  const {
    created_at,
    empresa_id,
    estado,
    placa,
    poliza: _,
    seguro_id,
    total,
    transaction_id
  } = insuranceDocument(insurance)
  return { seguro_id, empresa_id, estado, placa, total, transaction_id, poliza: insurance.policy?.number, created_at }
}

const list = Command.make(
  "list",
  {
    cell: cellFilter,
    companyId: companyFilter,
    state: Flag.Literals("estado", InsuranceState.literals).pipe(
      Flag.withDescription("Only insurances in this state"),
      orDefault(undefined, "any")
    ),
    page: pageNumber,
    perPage: pageSize(200)
  },
  Effect.fn(function* ({ cell, companyId, page, perPage, state }) {
    const position = { page, perPage }
    const { counts, items, total, unreadable } = yield* withinCell(cell)(listInsurances({ companyId, state }, position))
    const byState = Object.entries(counts).map(([state, count]) => `${state} ${count}`)
    yield* print(
      {
        items: items.map(insuranceDocument),
        por_estado: counts,
        ilegibles: unreadable,
        pagination: pagesOf(position, total)
      },
      items.length + unreadable.length === 0
        ? "No such insurances."
        : `${formatTable(items.map(insuranceRow))}\n\n${formatPagePosition(position, total)} By state: ${byState.join(", ")}.${formatUnreadable(unreadable, "insurances")}`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.validate(({ cell, companyId }) =>
    cell !== null && companyId !== undefined
      ? new CliError.ValidationError({ message: "--cell and --empresa exclude each other." })
      : Effect.void
  ),
  Command.withDescription(
    "List the insurances of all companies, newest first, and count those in each state. Name, phone and chassis are masked, as in the API."
  ),
  Command.withShortDescription("List the insurances of all companies"),
  Command.withExamples([
    { command: "saldo insurance list --estado emitiendo", description: "Policies that the insurer has not confirmed" }
  ])
)

export const insurance = Command.make("insurance").pipe(
  Command.withDescription("Vehicle insurances of all companies"),
  Command.withSubcommands([list])
)
