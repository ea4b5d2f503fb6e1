import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../../support/CommandLine.ts"
import { insureInEveryState } from "../../support/EveryState.ts"
import { createCompany } from "../support/NewCompany.ts"
import { unresolvedSale } from "../support/Resolutions.ts"

const pending = (...flags: ReadonlyArray<string>) =>
  CommandLine.use(({ answer }) => answer("transactions", "list", "--pendientes", ...flags))

layer(CommandLine.layer, { excludeTestServices: true })("the list of unresolved sales", (it) => {
  it.effect("shows the provider's last answer and the open proposal", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      const { company, id } = yield* unresolvedSale("RESPUESTA")
      const only = pending("--empresa", `${company}`)
      const [before] = (yield* only).items
      assert.deepStrictEqual([before.ultima_respuesta, before.propuesta], [null, null])
      yield* answer("transactions", "ask", `${id}`)
      yield* answer("transactions", "ask", `${id}`)
      yield* answer("transactions", "resolve", `${id}`, "--as", "failed", "--motivo", "Carta del 3 de mayo")
      const { items, por_edad } = yield* only
      const [{ propuesta, suplidor, ultima_respuesta }] = items
      assert.deepStrictEqual(
        [ultima_respuesta.respuesta, ultima_respuesta.veces, suplidor],
        ["Unknown", 2, "proveedor"]
      )
      const { propuesta_en, ...proposed } = propuesta
      assert.match(propuesta_en, /^\d{4}-\d\d-\d\d/)
      assert.deepStrictEqual(proposed, {
        ...{ propuesta: 1, resultado: "failed", motivo: "Carta del 3 de mayo" },
        ...{ propuesta_por: "local", confirmada_por: null }
      })
      assert.deepStrictEqual(
        por_edad.map(({ desde_segundos, retenido, ventas }: Record<string, unknown>) => [
          desde_segundos,
          ventas,
          retenido
        ]),
        [[600, 1, 1]]
      )
      const { stdout } = yield* run("transactions", "list", "--pendientes", "--empresa", `${company}`)
      assert.match(stdout, /Unknown +failed +20 min/)
      assert.match(stdout, /over 10 min +development +proveedor +1 +0 +1/)
    })
  )

  it.effect("shows totals by age and supplier, and can be limited to one supplier", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { empresa_id } = yield* createCompany("SEGUROS")
      yield* insureInEveryState(empresa_id)
      yield* unresolvedSale("PROVEEDOR")
      yield* sql`
        update cell.transaction set created_at = created_at - interval '2 days'
        where company_id = ${empresa_id} and status = 'PENDING'`
      const ofInsurer = yield* pending("--suplidor", "aseguradora")
      assert.deepStrictEqual([ofInsurer.pagination.total, ofInsurer.retenido], [2, 2])
      assert.deepStrictEqual(
        ofInsurer.por_edad.map(({ desde_segundos, suplidor, ventas }: Record<string, unknown>) => [
          ...[desde_segundos, suplidor, ventas]
        ]),
        [
          [0, "aseguradora", 1],
          [86_400, "aseguradora", 1]
        ]
      )
      const all = yield* pending()
      const ofProvider = yield* pending("--suplidor", "proveedor")
      assert.strictEqual(all.pagination.total, ofProvider.pagination.total + 2)
      const held = all.por_edad.reduce((sum: number, { retenido }: { retenido: number }) => sum + retenido, 0)
      assert.strictEqual(held, all.retenido)
      const { refusal } = yield* CommandLine
      assert.match((yield* refusal("transactions", "list", "--suplidor", "proveedor")).message, /--pendientes/)
    })
  )
})
