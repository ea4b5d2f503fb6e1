import { DateTime, Effect } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import { type Company, CompanyState, Environment } from "../../../core/domain/Company.ts"
import { changeCompany, createCompany, showCompany } from "../../../core/workflows/ManageCompany.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { balanceView } from "../../api/Cuenta.ts"
import { orDefault, toggle } from "../terminal/Flags.ts"
import { formatFields, print } from "../terminal/Output.ts"
import { cellFlag, companyId, labelFlag, limitFlag, onOffFlag, rncFlag, textFlag } from "../terminal/Parameters.ts"
import { companyDocument, list, statement } from "./CompanyAccounts.ts"
import { adjust, confirm, deposit, proposals, reject } from "./Funding.ts"
import { move } from "./MoveCompany.ts"

const create = Command.make(
  "create",
  {
    legalName: textFlag("razon-social", 200, "Legal name of the business"),
    rnc: rncFlag.pipe(orDefault(undefined, "none")),
    code: labelFlag("codigo", 50, "Short code of the business, unique"),
    environment: Flag.Literals("ambiente", Environment.literals).pipe(
      Flag.withDescription("development sells through the simulator, production through the real provider")
    ),
    state: Flag.Literals("estado", CompanyState.literals).pipe(
      Flag.withDescription("State of the business. The calls of a suspended company are refused"),
      orDefault("activa")
    ),
    withoutApi: toggle("sin-api", "Do not allow API calls yet"),
    insuranceEnabled: toggle("seguros", "Allow the company to sell insurance"),
    cell: cellFlag("cell", "Cell of the company. See saldo cell list").pipe(
      orDefault(undefined, "the open cell with the fewest companies")
    )
  },
  Effect.fn(function* ({ cell, rnc, withoutApi, ...company }) {
    const companyId = yield* createCompany(
      { ...company, ...(rnc !== undefined && { rnc }), apiEnabled: !withoutApi },
      cell
    )
    yield* print(
      { empresa_id: companyId },
      `Company ${companyId} created. Add money with "saldo company deposit ${companyId} AMOUNT --referencia TEXT" and issue credentials with "saldo token issue ${companyId} --nombre TEXT".`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Create a company. It starts with a balance of 0 and the contract's limits: 50000 pesos a day, 250000 a week, 1000000 a month."
  ),
  Command.withShortDescription("Create a company"),
  Command.withExamples([
    {
      command: 'saldo company create --razon-social "Colmado Luz, S.R.L." --codigo COLMADO-LUZ --ambiente development',
      description: "A company that sells through the simulator"
    }
  ])
)

const orUnchanged = orDefault(undefined, "unchanged")

const set = Command.make(
  "set",
  {
    companyId,
    legalName: orUnchanged(textFlag("razon-social", 200, "Legal name of the business")),
    rnc: orUnchanged(rncFlag),
    state: orUnchanged(
      Flag.Literals("estado", CompanyState.literals).pipe(Flag.withDescription("State of the business"))
    ),
    apiEnabled: orUnchanged(onOffFlag("api", "Whether the company may call the API")),
    insuranceEnabled: orUnchanged(onOffFlag("seguros", "Whether the company may sell insurance")),
    eventsOn: orUnchanged(
      onOffFlag("eventos", "Whether events of the company are written. Without events its webhooks receive nothing")
    ),
    daily: orUnchanged(limitFlag("limite-diario", "Limit of sales for each day; 0 for no limit")),
    weekly: orUnchanged(limitFlag("limite-semanal", "Limit of sales for each week, from Monday; 0 for no limit")),
    monthly: orUnchanged(limitFlag("limite-mensual", "Limit of sales for each month; 0 for no limit")),
    lowBalanceAlert: orUnchanged(
      limitFlag("alerta-saldo-bajo", "Balance below which the API shows saldo_bajo; 0 for never")
    )
  },
  Effect.fn(function* ({ apiEnabled, companyId, insuranceEnabled, legalName, rnc, state, ...settings }) {
    yield* changeCompany(companyId, { legalName, rnc, state, apiEnabled, insuranceEnabled }, settings)
    yield* printCompany(companyId)
  })
).pipe(
  Command.provide(operatorLayer),
  Command.validate(({ companyId: _, ...changes }) =>
    Object.values(changes).some((value) => value !== undefined)
      ? Effect.void
      : new CliError.ValidationError({ message: "Nothing to change. Give at least one flag." })
  ),
  Command.withDescription("Change a company. Omitted flags change nothing. The change applies from the next request."),
  Command.withShortDescription("Change a company, its limits or its alert threshold"),
  Command.withExamples([
    { command: "saldo company set 7 --estado suspendida", description: "Refuse all its calls from now on" },
    { command: "saldo company set 7 --eventos on", description: "Write events, for a company without webhooks" },
    {
      command: "saldo company set 7 --limite-diario 120000 --alerta-saldo-bajo 5000",
      description: "Change a limit and the alert threshold"
    },
    {
      command: 'saldo company set 7 --razon-social "Colmado Luz, S.R.L." --rnc 1-01-85004-3',
      description: "Correct the name and the RNC"
    }
  ])
)

const printCompany = Effect.fnUntraced(function* (companyId: Company["id"]) {
  const { account, company, eventsOn } = yield* showCompany(companyId)
  const document = { ...companyDocument(company, eventsOn), ...balanceView(account, yield* DateTime.now) }
  yield* print(document, formatFields(document))
})

const show = Command.make("show", { companyId }, ({ companyId }) => printCompany(companyId)).pipe(
  Command.provide(operatorLayer),
  Command.withDescription("Show a company with its balance, its limits and its consumption."),
  Command.withShortDescription("Show a company and its balance"),
  Command.withExamples([{ command: "saldo company show 7", description: "Company 7" }])
)

export const company = Command.make("company").pipe(
  Command.withDescription("Companies that sell through the service, and their balances"),
  Command.withSubcommands([create, set, deposit, adjust, proposals, confirm, reject, list, show, statement, move])
)
