import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as VaultAead from "../../../adapters/crypto/VaultAead.ts"
import * as DataKeyPostgres from "../../../adapters/postgres/directory/DataKeyPostgres.ts"
import { insurancePurpose, insuredSecretOf } from "../../../adapters/postgres/insurance/InsuranceRow.ts"
import { InsuranceState } from "../../../core/domain/InsuranceState.ts"
import { Vault } from "../../../core/ports/Vault.ts"
import { CommandLine } from "../../support/CommandLine.ts"
import { insureInEveryState } from "../../support/EveryState.ts"
import { insurance as example } from "../../support/InsuranceExample.ts"
import { createCompany } from "../support/NewCompany.ts"

/** The vault in which the command line encrypts and decrypts insured persons. */
const vault = VaultAead.layer.pipe(Layer.provide(DataKeyPostgres.layer(null)), Layer.provide(NodeCrypto.layer))

/** Encrypts the insured persons with the key of the database, because the example uses another vault. */
const sealAgain = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const { seal } = yield* Vault
  const rows = yield* sql<{ company_id: bigint; id: bigint }>`select company_id, id from cell.insurance`
  for (const { company_id, id } of rows) {
    const sealed = yield* seal(insuredSecretOf(example.insured), insurancePurpose(company_id, id))
    yield* sql`update cell.insurance set insured = ${sealed} where company_id = ${company_id} and id = ${id}`
  }
}).pipe(Effect.provide(vault))

const companies = Effect.gen(function* () {
  const { answer } = yield* CommandLine
  const { items } = yield* answer("company", "list")
  if (items.length > 0) return items.map(({ empresa_id }: { readonly empresa_id: number }) => empresa_id)
  const ids: Array<number> = []
  for (const code of ["UNA", "OTRA"]) {
    const { empresa_id } = yield* createCompany(code)
    yield* insureInEveryState(empresa_id)
    ids.push(empresa_id)
  }
  yield* sealAgain
  return ids
})

const listed = (...flags: ReadonlyArray<string>) =>
  Effect.andThen(
    companies,
    CommandLine.use(({ answer }) => answer("insurance", "list", ...flags))
  )

layer(CommandLine.layer, { excludeTestServices: true })("the list of insurances", (it) => {
  it.effect("shows all companies, newest first, page by page, and counts each state", () =>
    Effect.gen(function* () {
      const all = yield* listed("--per-page", "200")
      const ids = all.items.map(({ seguro_id }: { readonly seguro_id: number }) => seguro_id)
      assert.deepStrictEqual(
        ids,
        [...ids].sort((left, right) => right - left)
      )
      assert.strictEqual(all.pagination.total, ids.length)
      const second = yield* listed("--page", "2", "--per-page", "5")
      assert.deepStrictEqual(second.items, all.items.slice(5, 10))
      const counted: Record<string, number> = {}
      for (const { estado } of all.items) counted[estado] = (counted[estado] ?? 0) + 1
      assert.deepStrictEqual(all.por_estado, counted)
    })
  )

  it.effect.each(InsuranceState.literals)(
    "in state %s is as long as the count of this state, over all companies and for one",
    (state) =>
      Effect.gen(function* () {
        const [, company] = yield* companies
        for (const flags of [[], ["--empresa", `${company}`]]) {
          const { items, pagination, por_estado } = yield* listed("--estado", state, ...flags)
          assert.strictEqual(pagination.total, por_estado[state] ?? 0)
          assert.strictEqual(items.length, pagination.total)
          for (const { empresa_id, estado } of items) {
            assert.strictEqual(estado, state)
            if (flags.length > 0) assert.strictEqual(empresa_id, company)
          }
        }
      })
  )

  it.effect("masks the insured person, and shows sale and policy", () =>
    Effect.gen(function* () {
      yield* companies
      const { answer, refusal, run } = yield* CommandLine
      const { items } = yield* answer("insurance", "list", "--estado", "emitida")
      const [{ placa, poliza, telefono, titular, transaction_id, vehiculo }] = items
      assert.deepStrictEqual(poliza, { numero: "POL-1", desde: "2026-03-04", hasta: "2027-03-03" })
      assert.isAbove(transaction_id, 0)
      assert.strictEqual(placa, example.plate)
      for (const text of [telefono, titular, vehiculo.chasis]) assert.include(text, "***")
      const printed = [
        JSON.stringify(items),
        (yield* run("insurance", "list")).stdout,
        (yield* run("insurance", "list", "--json")).stdout
      ].join("\n")
      const { cedula, holder, phone, vehicle } = example.insured
      for (const secret of [cedula, holder, phone, vehicle.chassis]) assert.notInclude(printed, secret)
      assert.strictEqual((yield* refusal("insurance", "list", "--empresa", "99")).code, "COMPANY_NOT_FOUND")
    })
  )

  it.effect.each([
    ["decode", "environment = 'future'"],
    ["decrypt", "insured = '\\x00'"]
  ])("reports an insurance that this version cannot %s", ([, change]) =>
    Effect.gen(function* () {
      const [company] = yield* companies
      const sql = yield* PgClient.PgClient
      const [broken] = yield* sql<{ id: bigint }>`
        update cell.insurance set ${sql.literal(change ?? "")}
        where company_id = ${company} and state = 'iniciada'
        returning id`
      const { ilegibles, items, pagination } = yield* listed("--estado", "iniciada", "--empresa", `${company}`)
      assert.deepStrictEqual(ilegibles, [Number(broken?.id)])
      assert.strictEqual(items.length + ilegibles.length, pagination.total)
    })
  )
})
