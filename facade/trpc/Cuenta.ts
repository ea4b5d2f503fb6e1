import { DateTime, Effect } from "effect"
import { periodsAt } from "../../core/domain/LocalTime.ts"
import { Accounts } from "../../core/ports/Accounts.ts"
import { AccountView, accountView } from "../wire/AccountView.ts"
import { BalanceView, balanceView } from "../wire/BalanceView.ts"
import { input } from "../wire/Input.ts"
import { output } from "../wire/Output.ts"
import { allowed, answer, router } from "./Procedure.ts"

/** Contract: 4.2. */
export const cuenta = router({
  ver: allowed("account.read")
    .meta({
      openapi: { method: "GET", path: "/v1/cuenta", summary: "Datos de la empresa y del token", tags: ["Cuenta"] },
      alias: ["/v1/account"],
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
    })
    .input(input({}))
    .output(output(AccountView))
    .query(answer(({ ctx }) => Effect.succeed(accountView(ctx.session)))),

  saldo: allowed("balance.read")
    .meta({
      openapi: { method: "GET", path: "/v1/saldo", summary: "Saldo, límites y consumo", tags: ["Cuenta"] },
      alias: ["/v1/balance"],
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
    })
    .input(input({}))
    .output(output(BalanceView))
    .query(
      answer(({ ctx }) =>
        Effect.flatMap(DateTime.now, (now) =>
          Accounts.use(({ read }) =>
            Effect.map(read(ctx.session.company.id, periodsAt(now)), (account) => balanceView(account, now))
          )
        )
      )
    )
})
