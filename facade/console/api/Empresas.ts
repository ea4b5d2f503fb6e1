import { DateTime, Effect, Schema, Stream } from "effect"
import { isLow } from "../../../core/domain/Account.ts"
import { type Company, CompanyState, Environment } from "../../../core/domain/Company.ts"
import { formatOffset } from "../../../core/domain/LocalTime.ts"
import { toPesos } from "../../../core/domain/Money.ts"
import { Companies } from "../../../core/ports/Companies.ts"
import { Statement } from "../../../core/ports/Statement.ts"
import { type ListedCompany, listCompanies } from "../../../core/workflows/ListCompanies.ts"
import { changeCompany, companyOf, createCompany, showCompany } from "../../../core/workflows/ManageCompany.ts"
import { csvFile } from "../../api/Csv.ts"
import { balanceView } from "../../api/Cuenta.ts"
import { listFilterOf, pageOf, paging } from "../../api/Fields.ts"
import { input } from "../../api/Input.ts"
import { entryView, statementFile } from "../../api/Movimientos.ts"
import { pagesOf, paginationOf } from "../../api/Output.ts"
import { empresaId, label, limit, rnc, text } from "./Fields.ts"
import { change, csvExport, read } from "./Procedure.ts"

const companyView = ({
  apiEnabled,
  cell,
  code,
  environment,
  id,
  insuranceEnabled,
  legalName,
  state,
  rnc
}: Company) => ({
  empresa_id: id as number,
  razon_social: legalName,
  rnc: (rnc ?? null) as string | null,
  codigo_empresa: code,
  ambiente: environment,
  estado: state,
  api: apiEnabled,
  seguros: insuranceEnabled,
  celda: cell as string
})

const listedView = ({ account, company, eventsOn }: ListedCompany) => ({
  ...companyView(company),
  eventos: eventsOn,
  saldo_disponible: toPesos(account.balance.available),
  saldo_retenido: toPesos(account.balance.held),
  consumo_hoy: toPesos(account.consumption.daily),
  saldo_bajo: isLow(account.balance, account.lowBalanceAlert)
})

const companyFilter = { buscar: Schema.optionalKey(text(200)), estado: Schema.optionalKey(CompanyState) }

const legalName = text(200)
const code = label(50)

export const empresas = {
  listar: read({
    gate: "read",
    input: input({}),
    handle: () =>
      Effect.map(
        Companies.use(({ list }) => list),
        (all) => all.map(companyView)
      )
  }),
  /** A page of companies with their current balances. */
  saldos: read({
    gate: "read",
    input: input({ ...companyFilter, page: paging.page, per_page: paging.per_page }),
    handle: Effect.fnUntraced(function* ({ input: { buscar, estado, ...wanted } }) {
      const page = pageOf(wanted)
      const { items, total } = yield* listCompanies({ text: buscar, state: estado }, page)
      return { items: items.map(listedView), pagination: pagesOf(page, total) }
    })
  }),
  /** A company with its balance, limits and consumption. */
  ver: read({
    gate: "read",
    input: input({ empresa_id: empresaId }),
    handle: Effect.fnUntraced(function* ({ input: { empresa_id } }) {
      const { account, company, eventsOn } = yield* showCompany(empresa_id)
      const now = yield* DateTime.now
      const balance = { ...balanceView(account, now), actualizado_en: formatOffset(account.updatedAt ?? now) }
      return { ...companyView(company), eventos: eventsOn, saldo: balance }
    })
  }),
  movimientos: read({
    gate: "read",
    input: input({ empresa_id: empresaId, ...paging }),
    handle: Effect.fnUntraced(function* ({ input: { empresa_id, ...wanted } }) {
      yield* companyOf(empresa_id)
      const page = pageOf(wanted)
      const statement = yield* Statement
      const slice = yield* statement.page(empresa_id, listFilterOf(wanted), page)
      const items = slice.items.map((entry) => ({ ...entryView(entry), fecha: formatOffset(entry.createdAt) }))
      return { items, pagination: paginationOf(page, slice) }
    })
  }),
  crear: change({
    gate: "company",
    input: input({
      razon_social: legalName,
      rnc: Schema.optionalKey(rnc),
      codigo_empresa: code,
      ambiente: Environment,
      seguros: Schema.optionalKey(Schema.Boolean)
    }),
    handle: ({ input: { ambiente, codigo_empresa, razon_social, rnc, seguros = false } }) =>
      Effect.map(
        createCompany({
          legalName: razon_social,
          code: codigo_empresa,
          environment: ambiente,
          state: "activa",
          apiEnabled: true,
          insuranceEnabled: seguros,
          ...(rnc !== undefined && { rnc })
        }),
        (id) => ({ empresa_id: id as number })
      )
  }),
  cambiar: change({
    gate: "company",
    input: input({
      empresa_id: empresaId,
      razon_social: Schema.optionalKey(legalName),
      rnc: Schema.optionalKey(rnc),
      estado: Schema.optionalKey(CompanyState),
      api: Schema.optionalKey(Schema.Boolean),
      seguros: Schema.optionalKey(Schema.Boolean),
      eventos: Schema.optionalKey(Schema.Boolean)
    }),
    handle: ({ input: { api, empresa_id, estado, eventos, razon_social, rnc, seguros } }) =>
      Effect.as(
        changeCompany(
          empresa_id,
          { legalName: razon_social, rnc, state: estado, apiEnabled: api, insuranceEnabled: seguros },
          { eventsOn: eventos }
        ),
        null
      )
  }),
  limites: change({
    gate: "limits",
    input: input({
      empresa_id: empresaId,
      diario: Schema.optionalKey(limit),
      semanal: Schema.optionalKey(limit),
      mensual: Schema.optionalKey(limit),
      alerta_saldo_bajo: Schema.optionalKey(limit)
    }),
    handle: ({ input: { alerta_saldo_bajo, diario, empresa_id, mensual, semanal } }) =>
      Effect.as(
        changeCompany(
          empresa_id,
          {},
          { daily: diario, weekly: semanal, monthly: mensual, lowBalanceAlert: alerta_saldo_bajo }
        ),
        null
      )
  })
}

/** The statement of a company. */
export const movimientosCsv = csvExport({
  gate: "read",
  input: input({ empresa_id: empresaId, ...paging }),
  file: ({ empresa_id, ...wanted }) =>
    Effect.andThen(companyOf(empresa_id), statementFile(empresa_id, listFilterOf(wanted)))
})

const companyColumns = [
  "empresa_id",
  "razon_social",
  "rnc",
  "codigo_empresa",
  "ambiente",
  "estado",
  "saldo_disponible",
  "saldo_retenido",
  "consumo_hoy"
] as const

/** The companies with their current balances, as CSV. */
export const empresasCsv = csvExport({
  gate: "read",
  input: input(companyFilter),
  file: ({ buscar, estado }) =>
    Effect.flatMap(listCompanies({ text: buscar, state: estado }), ({ items }) =>
      csvFile("empresas", companyColumns, Stream.fromIterable(items.map(listedView)))
    )
})
