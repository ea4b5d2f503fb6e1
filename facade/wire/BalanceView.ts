import { type DateTime, Schema } from "effect"
import { isLow, owned } from "../../core/domain/Balance.ts"
import { formatLocal } from "../../core/domain/LocalTime.ts"
import { toPesos } from "../../core/domain/Money.ts"
import type { Account } from "../../core/ports/Accounts.ts"
import { Currency, currency, LocalTimestamp, Pesos } from "./Views.ts"

const Periods = Schema.Struct({ diario: Pesos, semanal: Pesos, mensual: Pesos }).annotate({ identifier: "Periodos" })

/** Contract: 2.3. */
export const BalanceView = Schema.Struct({
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

/** A company whose money has never moved is as up to date as the answer. */
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
