import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { dayOf } from "../../../core/domain/LocalTime.ts"
import { CommandLine } from "../../support/CommandLine.ts"
import { sellInEveryState } from "../../support/EveryState.ts"
import { createCompany } from "../support/NewCompany.ts"

/** Two companies with a sale in every state, all to the phone 8095550123. Their ids are 1 and 2. */
const companies = Effect.gen(function* () {
  const { answer } = yield* CommandLine
  const { items } = yield* answer("company", "list")
  if (items.length > 0) return
  yield* answer("catalog", "import", "facade/settings/catalogue.example.json")
  for (const code of ["UNA", "OTRA"]) yield* sellInEveryState((yield* createCompany(code)).empresa_id)
})

const listed = (...flags: ReadonlyArray<string>) =>
  Effect.andThen(
    companies,
    CommandLine.use(({ answer }) => answer("transactions", "list", ...flags))
  )

/** The xids of a list, without their prefix, in alphabetical order. */
const xidsOf = ({ items }: { readonly items: ReadonlyArray<{ readonly xid: string }> }) =>
  items.map(({ xid }) => xid.replace("RD-", "")).sort()

const [delivered, refused, reversed] = ["delivered", "refused", "reversed"].map((key) => [`1-${key}`, `2-${key}`])

layer(CommandLine.layer, { excludeTestServices: true })("the search for sales", (it) => {
  it.effect.each([
    [["--xid", "RD-2-refused"], ["2-refused"]],
    [["--clave", "refused"], refused],
    [["--clave", "refused", "--empresa", "1"], ["1-refused"]],
    // The reversals of both companies have this idempotency key.
    [["--clave", "reversal"], reversed],
    [["--buscar", "RV-1-reversal"], ["1-reversed"]],
    [["--buscar", "delivered"], delivered],
    [["--buscar", "nothing"], []],
    [["--telefono", "(809) 555-0123", "--estado", "FAILED"], refused],
    [["--identificador", "809-555-0123", "--status", "SUCCESS"], delivered],
    [["--buscar", "+1 809 555 0123", "--estado", "REVERSED", "--empresa", "2"], ["2-reversed"]],
    [["--telefono", "8095550124"], []],
    [["--servicio", "1", "--estado", "SUCCESS"], delivered],
    [["--servicio", "2"], []],
    [["--tipo", "mobile_recharge", "--estado", "FAILED"], refused],
    [["--tipo", "insurance"], []],
    [["--tipo", "mobile_recharge", "--servicio", "77"], []],
    [["--terminal", "caja-1"], []],
    [["--hasta", "2020-01-31"], []]
  ] as ReadonlyArray<readonly [ReadonlyArray<string>, ReadonlyArray<string>]>)(
    "with %j finds %j",
    ([flags, expected]) =>
      Effect.gen(function* () {
        const found = yield* listed(...flags)
        assert.deepStrictEqual(xidsOf(found), [...expected])
        assert.strictEqual(found.pagination.total, expected.length)
      })
  )

  it.effect("reads --desde and --hasta as local days", () =>
    Effect.gen(function* () {
      const today = dayOf(yield* DateTime.now)
      assert.strictEqual((yield* listed("--desde", today)).pagination.total, 10)
      assert.strictEqual((yield* listed("--desde", today, "--hasta", today, "--empresa", "1")).pagination.total, 5)
    })
  )

  it.effect("limits the days of a list over all companies", () =>
    Effect.gen(function* () {
      yield* companies
      const { refusal } = yield* CommandLine
      const days = ["--desde", "2026-01-01", "--hasta", "2026-02-01"]
      const { code, details, exit } = yield* refusal("transactions", "list", ...days)
      assert.deepStrictEqual([exit, code, details], [1, "TOO_MANY_DAYS", { dias_maximo: 31 }])
      assert.strictEqual((yield* listed(...days, "--empresa", "1")).pagination.total, 0)
      assert.strictEqual((yield* listed(...days, "--buscar", "delivered")).pagination.total, 0)
      assert.strictEqual((yield* listed("--desde", "2026-01-01", "--hasta", "2026-01-31")).pagination.total, 0)
    })
  )

  it.effect("refuses a company that does not exist", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { code } = yield* refusal("transactions", "list", "--empresa", "99", "--buscar", "delivered")
      assert.strictEqual(code, "COMPANY_NOT_FOUND")
    })
  )

  it.effect.each([
    [["--buscar", "a", "--xid", "b"], /exclude each other/],
    [["--estado", "FAILED", "--status", "FAILED"], /--estado and --status/],
    [["--desde", "2026-02-01", "--hasta", "2026-01-01"], /--hasta is before --desde/],
    [["--pendientes", "--buscar", "a"], /--pendientes allows only/],
    [["--pendientes", "--csv"], /--pendientes allows only/],
    [["--telefono", "12345"], /Dominican phone/],
    [["--buscar", "  "], /not empty/]
  ] as const)("refuses %j as wrong usage", ([flags, message]) =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const refused = yield* refusal("transactions", "list", ...flags)
      assert.strictEqual(refused.exit, 2)
      assert.match(refused.message, message)
    })
  )

  it.effect.each([
    [
      ["--estado", "SUCCESS"],
      [delivered?.[0], delivered?.[1]]
    ],
    [
      ["--buscar", "refused"],
      [refused?.[1], refused?.[0]]
    ],
    [["--tipo", "mobile_recharge", "--empresa", "1", "--estado", "FAILED"], ["1-refused"]],
    [["--estado", "FAILED", "--terminal", "none"], []]
  ] as const)("prints the sales with %j as CSV", ([flags, expected]) =>
    Effect.gen(function* () {
      yield* companies
      const { answer, run } = yield* CommandLine
      const { code, stdout } = yield* run("transactions", "list", ...flags, "--csv")
      assert.strictEqual(code, 0)
      const lines = `${stdout}\n`.split("\r\n")
      assert.strictEqual(
        lines[0],
        "\uFEFFempresa_id,transaction_id,xid,idempotency_key,status,service_id,servicio,identifier,amount,auth_code,terminal_id,created_at,processed_at"
      )
      const rows = lines.slice(1, -1).map((line) => line.split(","))
      assert.deepStrictEqual(
        rows.map(([, , xid]) => xid),
        expected.map((xid) => `RD-${xid}`)
      )
      for (const [company, , xid, key] of rows) assert.strictEqual(xid, `RD-${company}-${key}`)
      assert.strictEqual((yield* answer("transactions", "list", ...flags, "--csv")).csv, `${stdout}\n`)
    })
  )

  it.effect("shows a sale by its id or its xid", () =>
    Effect.gen(function* () {
      const { items } = yield* listed("--xid", "RD-1-delivered")
      const { answer, refusal } = yield* CommandLine
      const byId = yield* answer("transactions", "show", `${items[0].transaction_id}`)
      assert.strictEqual(byId.xid, "RD-1-delivered")
      assert.deepStrictEqual(yield* answer("transactions", "show", "RD-1-delivered"), byId)
      const { code, details } = yield* refusal("transactions", "show", "RD-3f2a9c1be07d4a55c1d2e3f4")
      assert.deepStrictEqual([code, details], ["TRANSACTION_NOT_FOUND", { buscado: "RD-3f2a9c1be07d4a55c1d2e3f4" }])
    })
  )
})
