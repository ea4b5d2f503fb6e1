import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readPdf } from "../../support/PdfReader.ts"
import { call, get, getBytes } from "../../support/service/HttpCalls.ts"
import { inState, insuranceCompany, insuranceForms } from "../../support/service/InsuranceCalls.ts"
import { SpreadTestServer } from "../../support/service/TestServer.ts"
import { leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"

layer(SpreadTestServer, { excludeTestServices: true })("the documents of a policy (contract 4.6)", (it) => {
  describe.each(insuranceForms.map((at) => [at.form, at] as const))("at %s", (_, at) => {
    it.effect.each(["poliza", "marbete"])(
      "include %s as a PDF with the policy number and the same bytes every time",
      (tipo) =>
        Effect.gen(function* () {
          const { auth } = yield* insuranceCompany()
          const { id } = yield* inState.emitida(auth, at)
          const path = at.documentPath(id, tipo)
          const { headers, status } = yield* get(path, auth)
          assert.strictEqual(status, 200)
          assert.strictEqual(headers.get("content-type"), "application/pdf")
          assert.strictEqual(headers.get("content-disposition"), `inline; filename="${tipo}-${id}.pdf"`)
          assert.strictEqual(headers.get("cache-control"), "no-store")
          assert.match(headers.get("x-request-id") ?? "", /^[\da-f-]{36}$/)

          const pdf = yield* getBytes(path, auth)
          assert.isTrue(pdf.equals(yield* getBytes(path, auth)))
          const { documentos, numero_poliza } = (yield* at.read(auth, id)).body.data
          assert.isTrue(pdf.equals(yield* getBytes(documentos[tipo], auth)))
          const { lines, pages } = readPdf(pdf)
          assert.strictEqual(pages, 1)
          assert.include(lines.map(({ text }) => text).join(" "), numero_poliza)
          const head = yield* call(path, { method: "HEAD", headers: auth })
          assert.deepStrictEqual(
            [head.status, head.text, head.headers.get("content-type")],
            [200, "", "application/pdf"]
          )
        })
    )

    it.effect("are two per policy, and differ from policy to policy", () =>
      Effect.gen(function* () {
        const { auth } = yield* insuranceCompany()
        const [one, other] = [yield* inState.emitida(auth, at), yield* inState.emitida(auth, at)]
        const paths = [one, other].flatMap(({ id }) => ["poliza", "marbete"].map((tipo) => at.documentPath(id, tipo)))
        const files = yield* Effect.forEach(paths, (path) => getBytes(path, auth))
        assert.lengthOf(new Set(files.map((file) => file.toString("latin1"))), 4)
      })
    )

    it.effect.each([
      ["POLIZA", "invalido"],
      ["factura", "invalido"],
      ["", "invalido"],
      ["poliza&tipo=marbete", "invalido"],
      ["poliza&tipo=poliza", "invalido"]
    ] as const)("do not exist for the type %j", ([tipo, reason]) =>
      Effect.gen(function* () {
        const { auth } = yield* insuranceCompany()
        const { id } = yield* inState.emitida(auth, at)
        const { body, status } = yield* leavesRowsUnchanged(get(at.documentPath(id, tipo), auth))
        assert.deepStrictEqual([status, body.error.details], [422, { tipo: reason }])
        const [path = ""] = at.documentPath(id, tipo).split("?")
        const untyped = yield* leavesRowsUnchanged(get(path, auth))
        assert.deepStrictEqual([untyped.status, untyped.body.error.details], [422, { tipo: "requerido" }])
      })
    )

    it.effect("are visible only to the company that sold the policy", () =>
      Effect.gen(function* () {
        const [mine, theirs] = [yield* insuranceCompany(), yield* insuranceCompany()]
        const { id } = yield* inState.emitida(mine.auth, at)
        for (const tipo of ["poliza", "marbete"]) {
          const { body, status } = yield* leavesRowsUnchanged(get(at.documentPath(id, tipo), theirs.auth))
          assert.deepStrictEqual([status, body.error.code], [404, "NOT_FOUND"])
        }
      })
    )
  })
})
