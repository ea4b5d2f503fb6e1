import { DateTime, Effect } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import { type Company, CompanyState, Environment } from "../../../core/domain/Company.ts"
import { toPesos } from "../../../core/domain/Money.ts"
import { Companies } from "../../../core/ports/Companies.ts"
import { changeCompany, createCompany, deposit, showCompany } from "../../../core/workflows/ManageCompany.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { balanceView } from "../../api/Cuenta.ts"
import { orDefault, toggle } from "../terminal/Flags.ts"
import { type Document, formatFields, formatTable, print } from "../terminal/Output.ts"
import { amountArgument, companyId, labelFlag, limitFlag, onOffFlag, textFlag } from "../terminal/Parameters.ts"

const companyDocument = (company: Company): Document => ({
  empresa_id: company.id,
  razon_social: company.legalName,
  codigo_empresa: company.code,
  ambiente: company.environment,
  estado: company.state,
  api: company.apiEnabled,
  seguros: company.insuranceEnabled
})

const create = Command.make(
  "create",
  {
    legalName: textFlag("razon-social", 200, "Legal name of the business"),
    code: labelFlag("codigo", 50, "Short code of the business, unique"),
    environment: Flag.Literals("ambiente", Environment.literals).pipe(
      Flag.withDescription("development sells through the simulator, production for real")
    ),
    state: Flag.Literals("estado", CompanyState.literals).pipe(
      Flag.withDescription("State of the business; a suspended one may not call"),
      orDefault("activa")
    ),
    withoutApi: toggle("sin-api", "Do not let it call the API yet"),
    insuranceEnabled: toggle("seguros", "Let it sell insurance")
  },
  Effect.fn(function* ({ withoutApi, ...company }) {
    const companyId = yield* createCompany({ ...company, apiEnabled: !withoutApi })
    yield* print(
      { empresa_id: companyId },
      `Company ${companyId} created. Give it money with "saldo company deposit ${companyId} AMOUNT --referencia TEXT" and credentials with "saldo token issue ${companyId} --nombre TEXT".`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Create a company. It starts without money and with the contract's limits: 50000 a day, 250000 a week, 1000000 a month."
  ),
  Command.withShortDescription("Create a company"),
  Command.withExamples([
    {
      command: 'saldo company create --razon-social "Colmado Luz, S.R.L." --codigo COLMADO-LUZ --ambiente development',
      description: "A company that tries the service out on the simulator"
    }
  ])
)

const orUnchanged = orDefault(undefined, "unchanged")

const set = Command.make(
  "set",
  {
    companyId,
    state: orUnchanged(
      Flag.Literals("estado", CompanyState.literals).pipe(Flag.withDescription("State of the business"))
    ),
    apiEnabled: orUnchanged(onOffFlag("api", "Whether it may call the API")),
    insuranceEnabled: orUnchanged(onOffFlag("seguros", "Whether it may sell insurance")),
    daily: orUnchanged(limitFlag("limite-diario", "Most that it may spend a day; 0 for no limit")),
    weekly: orUnchanged(limitFlag("limite-semanal", "Most that it may spend a week, from Monday; 0 for no limit")),
    monthly: orUnchanged(limitFlag("limite-mensual", "Most that it may spend a month; 0 for no limit")),
    lowBalanceAlert: orUnchanged(
      limitFlag("alerta-saldo-bajo", "Below this balance the API says saldo_bajo; 0 for never")
    )
  },
  Effect.fn(function* ({ apiEnabled, companyId, insuranceEnabled, state, ...settings }) {
    yield* changeCompany(companyId, { apiEnabled, insuranceEnabled, state }, settings)
    yield* printCompany(companyId)
  })
).pipe(
  Command.provide(operatorLayer),
  Command.validate(({ companyId: _, ...changes }) =>
    Object.values(changes).some((value) => value !== undefined)
      ? Effect.void
      : new CliError.ValidationError({ message: "Nothing to set: give at least one flag." })
  ),
  Command.withDescription(
    "Change a company. What is not given stays as it is; the change holds from the next request."
  ),
  Command.withShortDescription("Change a company, its limits or its alert"),
  Command.withExamples([
    { command: "saldo company set 7 --estado suspendida", description: "Refuse its calls from now on" },
    { command: "saldo company set 7 --limite-diario 120000 --alerta-saldo-bajo 5000", description: "Another limit" }
  ])
)

const depositCommand = Command.make(
  "deposit",
  {
    companyId,
    amount: amountArgument,
    reference: labelFlag("referencia", 200, "Your name for this deposit, such as the bank's number of the transfer")
  },
  Effect.fn(function* ({ amount, companyId, reference }) {
    const { entryId, repeated } = yield* deposit(companyId, amount, reference)
    const { account } = yield* showCompany(companyId)
    const available = toPesos(account.balance.available)
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
        ? `Already recorded as entry ${entryId}: nothing was added. Available: ${available}.`
        : `Recorded as entry ${entryId}. Available: ${available}.`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Add money to a company: an entry of its ledger. The same reference with the same amount again changes nothing, so it is safe to repeat."
  ),
  Command.withShortDescription("Add money to a company, once a reference"),
  Command.withExamples([
    { command: "saldo company deposit 7 25000 --referencia TRANSFER-88123", description: "Record a bank transfer" }
  ])
)

const list = Command.make("list", {}, () =>
  Effect.gen(function* () {
    const companies = yield* Companies
    const items = (yield* companies.list).map(companyDocument)
    yield* print({ items }, items.length === 0 ? "No companies yet." : formatTable(items))
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription("List the companies, in order of id."),
  Command.withExamples([{ command: "saldo company list --json", description: "For a script" }])
)

const printCompany = Effect.fnUntraced(function* (companyId: Company["id"]) {
  const { account, company } = yield* showCompany(companyId)
  const document = { ...companyDocument(company), ...balanceView(account, yield* DateTime.now) }
  yield* print(document, formatFields(document))
})

const show = Command.make("show", { companyId }, ({ companyId }) => printCompany(companyId)).pipe(
  Command.provide(operatorLayer),
  Command.withDescription("Show a company with its balance, its limits and what it has consumed of them."),
  Command.withShortDescription("Show a company and its money"),
  Command.withExamples([{ command: "saldo company show 7", description: "Company 7" }])
)

export const company = Command.make("company").pipe(
  Command.withDescription("Companies that sell through the service, and their money"),
  Command.withSubcommands([create, set, depositCommand, list, show])
)
