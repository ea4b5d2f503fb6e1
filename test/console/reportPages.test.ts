import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect, Redacted } from "effect"
import type { BrowserContextOptions } from "playwright-core"
import { inject } from "vitest"
import { DatabaseServer } from "../../facade/settings/DatabaseServer.ts"
import { isBrowserInstalled } from "../support/Chromium.ts"
import { runStatement } from "../support/EmbeddedDatabases.ts"
import { consoleInBrowser, openPageAs, overflowOf, phone, seriousFaults } from "./ConsolePage.ts"

/** Runs a statement as the owner of the database, because an operator may not write sales. */
const run = Effect.fnUntraced(function* (statement: string) {
  const { url } = yield* DatabaseServer
  const owner = new URL(inject("postgresUrl"))
  owner.pathname = new URL(Redacted.value(url)).pathname
  return yield* runStatement(owner.href, statement)
})

/** Opens a page of the console as an operator who may only read. */
const openAt = Effect.fnUntraced(function* (path: string, options: BrowserContextOptions = {}) {
  const opened = yield* openPageAs("lector", { locale: "es-DO", ...options })
  yield* Effect.promise(() => opened.page.goto(path))
  return opened
})

/** A company that is low on money, a sale of today and a held sale of two hours ago. */
const today = Effect.gen(function* () {
  const now = yield* DateTime.now
  const [sold, held] = [now, DateTime.subtract(now, { hours: 2 })].map(DateTime.formatIso)
  yield* run(`
    insert into directory.company (legal_name, code, environment, created_at)
    values ('Colmado Luz', 'LUZ', 'production', 'epoch')`)
  yield* run(`
    insert into cell.balance (company_id, available, low_balance_alert, updated_at)
    select id, 5000, 100000, 'epoch' from directory.company`)
  yield* run(`
    insert into cell.transaction (
      company_id, id, xid, idempotency_key, status, environment, service_id, service_name, service_type, identifier, amount,
      reversible, day, created_at, processed_at, auth_code
    )
    select c.id, s.*
    from directory.company as c, (values
      (11, 'x-11', 'k-11', 'SUCCESS', 'production', 1, 'Recarga Claro', 'mobile_recharge', '8095550123', 123450, true,
        date '2026-01-01', timestamptz '${sold}', timestamptz '${sold}' + interval '2 s', 'A'),
      (12, 'x-12', 'k-12', 'PENDING', 'production', 1, 'Recarga Claro', 'mobile_recharge', '8095550123', 20000, true,
        date '2026-01-01', timestamptz '${held}', null, null)
    ) as s`)
})

describe.skipIf(!isBrowserInstalled())("the panorama in Chromium", () => {
  layer(consoleInBrowser, { excludeTestServices: true })((it) => {
    it.effect("shows the sales, the held money and the low balances, and the values of a chart as a table", () =>
      Effect.gen(function* () {
        yield* today
        const { faults, page } = yield* openAt("/")
        yield* Effect.promise(async () => {
          await page.getByRole("heading", { name: "Panorama" }).waitFor()
          assert.include(await page.locator(".cards").textContent(), "RD$ 1,234.50")
          assert.include(await page.locator(".cards").textContent(), "RD$ 200.00")
          await page.getByRole("link", { name: "Colmado Luz" }).waitFor()
          assert.strictEqual(
            await page.getByRole("link", { name: "la venta 12" }).getAttribute("href"),
            "/transacciones/12"
          )
          const chart = page.locator("figure").filter({ hasText: "Pesos por hora" })
          await chart.locator("canvas").waitFor()
          await chart.locator("summary").focus()
          await page.keyboard.press("Enter")
          assert.lengthOf(await chart.locator("details tbody tr").all(), 24)
          assert.include(await chart.locator("details table").textContent(), "RD$ 1,234.50")
        })
        assert.deepStrictEqual(faults, [])
      })
    )

    it.effect("shows the environment that its buttons choose, and keeps the choice in the address", () =>
      Effect.gen(function* () {
        const { page } = yield* openAt("/")
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Pruebas" }).click()
          await page.locator('button[aria-pressed="true"]', { hasText: "Pruebas" }).waitFor()
          assert.include(page.url(), "?ambiente=development")
          await page.reload()
          await page.locator('button[aria-pressed="true"]', { hasText: "Pruebas" }).waitFor()
        })
      })
    )

    it.effect.each([
      ["a desk", {}],
      ["a phone in the dark", { ...phone, colorScheme: "dark" }]
    ] as const)("fits the screen of %s, and axe finds nothing serious", ([, screen]) =>
      Effect.gen(function* () {
        const { page } = yield* openAt("/", screen)
        yield* Effect.promise(() => page.locator("figure canvas").first().waitFor())
        assert.strictEqual(yield* overflowOf(page), 0)
        assert.deepStrictEqual(yield* seriousFaults(page), [])
      })
    )
  })
})

const record = (n: number) => `
  insert into directory.audit_event (at, action, company_id, details, actor_id, actor, via, address)
  select '2026-03-10T16:00:00Z', 'company_changed', 7, '{"before": {"estado": "vip", "api": true}, "after": {"estado": "activa", "api": true}, "transactionId": 12}', 1, 'Ana', 'console', '203.0.113.7'
  from generate_series(1, ${n})`

describe.skipIf(!isBrowserInstalled())("the audit log in Chromium", () => {
  layer(consoleInBrowser, { excludeTestServices: true })((it) => {
    it.effect("is filtered by a form, keeps the filter in the address, and leads to older events", () =>
      Effect.gen(function* () {
        yield* run(record(60))
        const { faults, page } = yield* openAt("/auditoria")
        yield* Effect.promise(async () => {
          await page.getByLabel("Operador").fill("ana")
          await page.getByLabel("Acción", { exact: true }).selectOption({ label: "Empresa cambiada" })
          await page.getByRole("button", { name: "Buscar" }).click()
          await page.waitForURL(/operador=ana/)
          await page.getByText("10 mar 2026, 12:00 p. m.").first().waitFor()
          await page.locator("tbody tr").nth(49).waitFor()
          await page.locator("tbody summary").first().click()
          assert.strictEqual(await page.locator("tbody dl").first().textContent(), "transactionId12estadovip → activa")
          assert.strictEqual(
            await page.getByRole("link", { name: "12", exact: true }).first().getAttribute("href"),
            "/transacciones/12"
          )
          await page.getByRole("button", { name: "Anteriores" }).click()
          await page.waitForURL(/antes_de=/)
          await page.locator("tbody tr").nth(49).waitFor({ state: "detached" })
          await page.locator("tbody tr").nth(9).waitFor()
          assert.lengthOf(await page.locator("tbody tr").all(), 10)
          await page.getByRole("button", { name: "Lo más reciente" }).click()
          await page.locator("tbody tr").nth(49).waitFor()
        })
        assert.deepStrictEqual(faults, [])
      })
    )

    it.effect("says which filter is wrong", () =>
      Effect.gen(function* () {
        const { page } = yield* openAt("/auditoria?empresa_id=siete")
        yield* Effect.promise(() => page.getByRole("alert").waitFor())
      })
    )

    it.effect("fits the screen of a phone, and axe finds nothing serious", () =>
      Effect.gen(function* () {
        const { page } = yield* openAt("/auditoria", phone)
        yield* Effect.promise(() => page.locator("table").waitFor())
        assert.strictEqual(yield* overflowOf(page), 0)
        assert.deepStrictEqual(yield* seriousFaults(page), [])
      })
    )
  })
})
