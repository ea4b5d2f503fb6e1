import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { DispatchAnswer } from "../../../core/domain/Sale.ts"
import { readPdf } from "../../support/PdfReader.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { call, get, getBytes, post, sell } from "../../support/service/HttpCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { SpreadTestServer } from "../../support/service/TestServer.ts"

const paths = (id: number) => [`/v1/transacciones/${id}/recibo`, `/v1/transactions/${id}/receipt`]

const sold = (auth: Record<string, string>, sale: object) =>
  Effect.map(sell({ service_id: 8, identifier: "8095550003", amount: 100.5, ...sale }, auth), ({ body }) => ({
    ...body.data,
    transaction_id: Number(body.data?.transaction_id ?? body.error.details.transaction_id)
  }))

layer(SpreadTestServer, { excludeTestServices: true })("a receipt (contract 2.5 and 4.7)", (it) => {
  it.effect("shows the sale, the shop, the time and the authorization code at both paths", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer({ company: { legalName: "Colmado Doña Ñusta" } })
      const sale = yield* sold(auth, {})
      for (const path of paths(sale.transaction_id)) {
        for (const query of ["", "?formato=json"]) {
          const { body, status } = yield* get(path + query, auth)
          assert.strictEqual(status, 200)
          assert.deepStrictEqual(body.data, {
            transaction_id: sale.transaction_id,
            xid: sale.xid,
            status: "SUCCESS",
            auth_code: sale.auth_code,
            emisor: "Saldo",
            comercio: "Colmado Doña Ñusta",
            servicio: sale.service.nombre,
            identifier: "8095550003",
            amount: 100.5,
            currency: "DOP",
            processed_at: sale.processed_at.slice(0, 19).replace("T", " "),
            mensaje: "Operación exitosa."
          })
        }
      }
    })
  )

  it.effect("shows the token of an electricity sale", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      const sale = yield* sold(auth, { service_id: 4, amount: 100 })
      const { body } = yield* get(`/v1/transacciones/${sale.transaction_id}/recibo`, auth)
      assert.match(body.data.recharge_token, /^(\d{4} ){4}\d{4}$/)
      assert.strictEqual(body.data.recharge_token, sale.recharge_token)
    })
  )

  it.effect("of a reversed sale says that the sale was reversed", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      const { transaction_id } = yield* sold(auth, { service_id: 7, amount: 100 })
      yield* post(`/v1/transacciones/${transaction_id}/anular`, {}, { ...auth, "idempotency-key": "anular-1" })
      const { body } = yield* get(`/v1/transacciones/${transaction_id}/recibo`, auth)
      const { mensaje, status } = body.data
      assert.deepStrictEqual([status, mensaje], ["REVERSED", "Operación anulada; el monto fue devuelto."])
      assert.strictEqual(
        (yield* call(`/v1/transacciones/${transaction_id}/recibo?formato=pdf`, { headers: auth })).status,
        200
      )
    })
  )

  it.effect.each([
    ["PENDING", "8095550012"],
    ["FAILED", "8095550001"]
  ] as const)("does not exist for a sale with status %s", ([, identifier]) =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      const { transaction_id } = yield* sold(auth, { identifier })
      for (const path of paths(transaction_id)) {
        const { body, status } = yield* get(path, auth)
        assert.deepStrictEqual([status, body.error.code], [404, "NOT_FOUND"])
      }
    })
  )

  it.effect("is visible only to its company, and only with the permission to read transactions", () =>
    Effect.gen(function* () {
      const [mine, theirs, blind] = [
        yield* customer(),
        yield* customer(),
        yield* customer({ token: { permissions: ["balance.read"] } })
      ]
      const { transaction_id } = yield* sold(mine.auth, {})
      for (const path of paths(transaction_id)) {
        assert.strictEqual((yield* get(path, theirs.auth)).status, 404)
        assert.strictEqual((yield* get(`${path}?formato=pdf`, theirs.auth)).status, 404)
        assert.strictEqual((yield* get(path, blind.auth)).status, 403)
      }
    })
  )

  it.effect.each(["xml", "PDF", "", "pdf&formato=json"])("does not exist in the format %j", (formato) =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      const { transaction_id } = yield* sold(auth, {})
      for (const path of paths(transaction_id)) {
        const { body, status } = yield* get(`${path}?formato=${formato}`, auth)
        assert.deepStrictEqual([status, body.error.details], [422, { formato: "invalido" }])
      }
    })
  )

  it.effect("is a one-page PDF, 80 mm wide, with the same bytes every time", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer({ company: { legalName: "Colmado Ñandú Łódź" } })
      const [one, other] = [yield* sold(auth, {}), yield* sold(auth, {})]
      const path = `/v1/transacciones/${one.transaction_id}/recibo?formato=pdf`
      const { headers, status } = yield* get(path, auth)
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("content-type"), "application/pdf")
      assert.strictEqual(headers.get("content-disposition"), `inline; filename="recibo-${one.transaction_id}.pdf"`)
      assert.match(headers.get("x-request-id") ?? "", /^[\da-f-]{36}$/)
      assert.match(headers.get("x-ratelimit-remaining") ?? "", /^\d+$/)
      assert.strictEqual(headers.get("cache-control"), "no-store")

      const pdf = yield* getBytes(path, auth)
      assert.isTrue(pdf.equals(yield* getBytes(path, auth)))
      assert.isFalse(
        pdf.equals(yield* getBytes(path.replace(String(one.transaction_id), String(other.transaction_id)), auth))
      )
      const page = readPdf(pdf)
      assert.match(page.source, /^%PDF-1\.\d/)
      assert.strictEqual(page.pages, 1)
      assert.closeTo((page.width / 72) * 25.4, 80, 0.1)
      // An A4 sheet is 297 mm long.
      assert.isAtMost((page.height / 72) * 25.4, 297)
      assert.strictEqual(page.lines[0]?.text, "Colmado Ñandú Łódź")
      assert.strictEqual(page.code, one.xid)
    })
  )

  // The authorization codes of the simulator begin with SBX.
  it.effect.each([
    ["SBX0123456789AB", true],
    ["0123456789AB", false]
  ] as const)("with the authorization code %s has the text SIN VALIDEZ — PRUEBA: %j", ([authCode, marked]) =>
    Effect.gen(function* () {
      const { provider } = yield* Script
      const { auth } = yield* customer()
      const identifier = authCode.replace(/\D/g, "")
      const delivery = { authCode, rechargeToken: null }
      provider.set(identifier, { dispatch: () => Effect.succeed(DispatchAnswer.Delivered({ delivery })) })
      const { body } = yield* sell({ service_id: 7, amount: 100, identifier }, auth)
      const pdf = yield* getBytes(`/v1/transacciones/${body.data.transaction_id}/recibo?formato=pdf`, auth)
      const words = readPdf(pdf).lines.map(({ text }) => text)
      assert.strictEqual(words.includes("SIN VALIDEZ — PRUEBA"), marked)
    })
  )
})
