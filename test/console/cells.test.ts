import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { ConsoleAddress } from "../../facade/console/ConsoleServer.ts"
import { addCell } from "../support/SeveralCells.ts"
import { customer } from "../support/service/CustomerCompany.ts"
import { parseCsv, sell } from "../support/service/HttpCalls.ts"
import { ask, nextPhone, pendingSale, WithConsole } from "./ConsoleSales.ts"
import { ConsoleBeside, signedIn } from "./TestConsole.ts"

layer(WithConsole, { excludeTestServices: true })("the lists of the console", (it) => {
  it.effect("can be limited to one cell", () =>
    Effect.gen(function* () {
      yield* addCell("norte")
      const sold = yield* Effect.forEach(["cell", "norte"], (cell) =>
        Effect.gen(function* () {
          const { auth, companyId } = yield* customer({ cell })
          const { status } = yield* sell({ service_id: 1, amount: 100, identifier: nextPhone() }, auth)
          assert.strictEqual(status, 201)
          return companyId
        })
      )
      const companies = (items: ReadonlyArray<{ empresa_id: number }>) => items.map(({ empresa_id }) => empresa_id)
      const { data: all } = yield* ask("transacciones.listar", {})
      assert.sameMembers(companies(all.items), sold)
      for (const [index, celda] of ["cell", "norte"].entries()) {
        const { data } = yield* ask("transacciones.listar", { celda })
        assert.deepStrictEqual(companies(data.items), sold.slice(index, index + 1), celda)
      }

      const { cookie } = yield* ConsoleBeside.use(({ on }) => on(signedIn("lector")))
      const { url } = yield* ConsoleBeside.use(({ on }) => on(ConsoleAddress))
      const csv = yield* Effect.promise(async () =>
        (await fetch(`${url}/exportar/transacciones?celda=norte`, { headers: { cookie } })).text()
      )
      const [, ...rows] = parseCsv(csv)
      assert.deepStrictEqual(
        rows.map(([company]) => company),
        [String(sold[1])]
      )

      // The new company is in the cell with the fewest companies.
      const pending = yield* pendingSale(StatusAnswer.Unknown())
      const { data: listed } = yield* ask("empresas.listar", {})
      const found = listed.find(({ empresa_id }: { empresa_id: number }) => empresa_id === pending.companyId)
      const other = found.celda === "cell" ? "norte" : "cell"
      const { data: held } = yield* ask("pendientes.listar", { celda: found.celda })
      assert.deepStrictEqual([companies(held.items), held.retenido], [[pending.companyId], 100])
      const { data: none } = yield* ask("pendientes.listar", { celda: other })
      assert.deepStrictEqual([none.items, none.edades], [[], []])
      assert.deepStrictEqual((yield* ask("seguros.listar", { celda: other })).data.items, [])
    })
  )

  it.effect.each(["transacciones.listar", "pendientes.listar", "seguros.listar"])(
    "refuse an unknown cell: %s",
    (name) =>
      Effect.gen(function* () {
        const unknown = yield* ask(name, { celda: "oeste" })
        assert.deepStrictEqual([unknown.status, unknown.code], [404, "CELDA_NO_EXISTE"])
        const invalid = yield* ask(name, { celda: "Oeste!" })
        assert.deepStrictEqual([invalid.status, invalid.code], [422, "VALIDATION_ERROR"])
      })
  )
})
