import { DateTime, Effect, Schema } from "effect"
import { isLow, owned } from "../../core/domain/Account.ts"
import { Environment } from "../../core/domain/Company.ts"
import { formatLocal, periodsAt } from "../../core/domain/LocalTime.ts"
import { toPesos } from "../../core/domain/Money.ts"
import type { Session } from "../../core/domain/Session.ts"
import { type Account, Accounts } from "../../core/ports/Accounts.ts"
import { requires } from "./Gate.ts"
import { input } from "./Input.ts"
import { Currency, currency, LocalTimestamp, Pesos } from "./Output.ts"
import { query } from "./Procedure.ts"

/** The company and token of a call, in the API. Contract: 2.2. */
const AccountView = Schema.Struct({
  empresa_id: Schema.Int,
  razon_social: Schema.String,
  codigo_empresa: Schema.String,
  ambiente: Environment,
  sandbox: Schema.Boolean,
  token: Schema.Struct({ nombre: Schema.String, permisos: Schema.Array(Schema.String) }).annotate({
    identifier: "TokenDeCuenta"
  })
}).annotate({ identifier: "Cuenta" })

const accountView = ({ company, token }: Session): typeof AccountView.Type => ({
  empresa_id: company.id,
  razon_social: company.legalName,
  codigo_empresa: company.code,
  ambiente: company.environment,
  sandbox: company.environment === "development",
  token: { nombre: token.name, permisos: token.permissions }
})

const Periods = Schema.Struct({ diario: Pesos, semanal: Pesos, mensual: Pesos }).annotate({ identifier: "Periodos" })

/** A balance in the API, with limits and consumption. Contract: 2.3. */
const BalanceView = Schema.Struct({
  saldo_actual: Pesos,
  saldo_disponible: Pesos,
  saldo_retenido: Pesos,
  tipo_credito: Schema.Literal("prepago"),
  alerta_saldo_bajo: Pesos,
  saldo_bajo: Schema.Boolean,
  limites: Periods,
  consumo_periodo: Periods,
  moneda: Currency,
  actualizado_en: LocalTimestamp
}).annotate({ identifier: "Saldo" })

const periods = (centavos: Account["limits"]): typeof Periods.Type => ({
  diario: toPesos(centavos.daily),
  semanal: toPesos(centavos.weekly),
  mensual: toPesos(centavos.monthly)
})

/**
 * The balance of an account, as the API shows it. If the company's money has never moved, the update time is the time
 * of the response.
 */
export const balanceView = (account: Account, now: DateTime.Utc): typeof BalanceView.Type => ({
  saldo_actual: toPesos(owned(account.balance)),
  saldo_disponible: toPesos(account.balance.available),
  saldo_retenido: toPesos(account.balance.held),
  tipo_credito: "prepago",
  alerta_saldo_bajo: toPesos(account.lowBalanceAlert),
  saldo_bajo: isLow(account.balance, account.lowBalanceAlert),
  limites: periods(account.limits),
  consumo_periodo: periods(account.consumption),
  moneda: currency,
  actualizado_en: formatLocal(account.updatedAt ?? now)
})

/** The caller's company and token. Contract: 4.2. */
export const verCuenta = query({
  gate: requires("account.read"),
  input: input({}),
  output: AccountView,
  meta: {
    path: "/v1/cuenta",
    aliases: ["/v1/account"],
    summary: "Datos de la empresa y del token",
    tag: "Cuenta",
    message: "Datos de la cuenta.",
    example: {
      data: {
        empresa_id: 1,
        razon_social: "Colmado Doña Ana SRL",
        codigo_empresa: "COL-1",
        ambiente: "development",
        sandbox: true,
        token: { nombre: "caja", permisos: [] }
      }
    }
  },
  handle: ({ session }) => Effect.succeed(accountView(session))
})

/** The balance, the limits and the consumption of the caller's company. Contract: 4.2. */
export const saldo = query({
  gate: requires("balance.read"),
  input: input({}),
  output: BalanceView,
  meta: {
    path: "/v1/saldo",
    aliases: ["/v1/balance"],
    summary: "Saldo, límites y consumo",
    tag: "Cuenta",
    message: "Saldo de la cuenta.",
    example: {
      data: {
        saldo_actual: 99_900,
        saldo_disponible: 99_800,
        saldo_retenido: 100,
        tipo_credito: "prepago",
        alerta_saldo_bajo: 1_000,
        saldo_bajo: false,
        limites: { diario: 50_000, semanal: 250_000, mensual: 1_000_000 },
        consumo_periodo: { diario: 200, semanal: 200, mensual: 200 },
        moneda: "DOP",
        actualizado_en: "2026-01-31 14:05:09"
      }
    }
  },
  handle: Effect.fnUntraced(function* ({ session }) {
    const now = yield* DateTime.now
    const accounts = yield* Accounts
    return balanceView(yield* accounts.read(session.company.id, periodsAt(now)), now)
  })
})
