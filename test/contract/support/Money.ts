import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { get } from "../../facade/support/Calls.ts"

/** The company's money in pesos: spendable, held, and consumed today, this week and this month. */
export const money = (auth: Record<string, string>) =>
  Effect.map(get("/v1/saldo", auth), ({ body: { data } }) => {
    const available: number = data.saldo_disponible
    const held: number = data.saldo_retenido
    assert.strictEqual(data.saldo_actual, Math.round((available + held) * 100) / 100)
    const { diario, mensual, semanal } = data.consumo_periodo
    return { available, held, consumed: [diario, semanal, mensual] }
  })
