import { randomUUID } from "node:crypto"
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { PgClient, PgTypes } from "@effect/sql-pg"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import fc from "fast-check"
import { inject } from "vitest"
import * as Database from "../../../adapters/postgres/connection/Database.ts"
import { migrate } from "../../../adapters/postgres/schema/Migrations.ts"
import { SqlFolder } from "../../../adapters/postgres/schema/SqlFiles.ts"
import { foldedText, isStorable } from "../../../core/domain/Text.ts"
import { TestDatabase } from "../../support/Database.ts"
import { copyDatabase } from "../../support/EmbeddedDatabases.ts"
import { temporaryDirectory } from "../../support/FirstStart.ts"
import { refusedBy } from "../../support/SchemaGuards.ts"

const codePoint_max = 0x10ffff

// Most characters of Unicode are private, unassigned or Chinese. They have no upper or lower case.
const uninteresting = /[\p{Co}\p{Cn}\p{Script=Han}]/u

// References of deposits and names of operators count as equal if their folded forms are equal.
layer(TestDatabase)("the folded form of a text", (it) => {
  // Skips characters that Postgres does not know, because Node may have a later version of Unicode.
  const differing = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
    const sql = yield* PgClient.PgClient
    const cases = texts.map((text) => ({ text, folded: foldedText(text) }))
    return yield* sql<{ text: string; folded: string; found: string }>`
      select c.text, c.folded, cell.folded_text(c.text) as found
      from jsonb_to_recordset(${PgTypes.jsonb(cases)}) as c(text text, folded text)
      where unicode_assigned(c.text) and unicode_assigned(c.folded) and cell.folded_text(c.text) <> c.folded`
  })

  it.effect("is the same in Postgres and in TypeScript for each character between letters", () =>
    Effect.gen(function* () {
      const texts = Array.from({ length: codePoint_max }, (_, index) => String.fromCodePoint(index + 1))
        .filter((each) => isStorable(each) && !uninteresting.test(each))
        .map((each) => `a${each}B`)
      assert.deepStrictEqual(yield* differing(texts), [])
    })
  )

  it.effect("is the same in Postgres and in TypeScript for random texts", () =>
    Effect.gen(function* () {
      const texts = fc.sample(fc.string({ unit: "binary", maxLength: 12 }).filter(isStorable), {
        numRuns: 5_000,
        seed: 1
      })
      assert.deepStrictEqual(yield* differing(texts), [])
    })
  )

  it.effect("is unique among the deposits of a company", () =>
    Effect.gen(function* () {
      const insert = `insert into cell.deposit_reference (company_id, folded, entry_id) values (1, 'X', 1)`
      assert.strictEqual(yield* refusedBy([insert, insert]), "deposit_reference_pkey")
    })
  )
})

const connectedTo = (url: string) => Layer.fresh(Database.layer({ url: Redacted.make(url), connections_max: 1 }))

/** The schema of version 5, which does not compare references in folded form. */
const versionFive = Effect.gen(function* () {
  const folder = join(yield* temporaryDirectory, "sql")
  cpSync(fileURLToPath(yield* SqlFolder), folder, { recursive: true })
  const cell = join(folder, "cell")
  rmSync(join(cell, "0006_folded_text.sql"))
  // Later files that call the function folded_text, or change a table of these files.
  for (const name of readdirSync(cell).filter((file) => /_(?:funding_proposal|departed|frozen)\.sql$/.test(file)))
    rmSync(join(cell, name))
  rmSync(join(folder, "functions/proposal.sql"))
  const versions = join(folder, "versions.txt")
  writeFileSync(versions, readFileSync(versions, "utf8").replace(/^(?:[6-9]|\d\d).*\n/gm, ""))
  // Version 5 does not have these functions, so their grants are removed too.
  const roles = join(cell, "roles.sql")
  writeFileSync(
    roles,
    readFileSync(roles, "utf8").replace(
      /^grant execute on function (?:folded_text|propose_funding|refuse_if_closed).*\n/gm,
      ""
    )
  )
  return Effect.provideService(SqlFolder, pathToFileURL(`${folder}/`))
})

describe("a database with references that differ only in spelling", () => {
  it.live("is migrated; a company's first deposit with a folded reference keeps this reference", () =>
    Effect.gen(function* () {
      const url = yield* copyDatabase(inject("postgresUrl"), "template0", `folded_${randomUUID()}`)
      const earlier = yield* versionFive
      yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* earlier(migrate)
        yield* sql`
          insert into cell.entry (company_id, id, type, amount, balance, reference, created_at)
          values
            (1, 1, 'deposit', 500, 500, 'banco-1', 'epoch'),
            (1, 2, 'deposit', 700, 1200, 'BANCO\u20131', 'epoch'),
            (1, 3, 'deposit', 800, 2000, '\u2800', 'epoch'),
            (1, 4, 'adjustment', 100, 2100, 'banco-1', 'epoch'),
            (2, 5, 'deposit', 500, 500, 'Banco-1', 'epoch')`
        yield* sql`insert into cell.balance (company_id, available, entries, updated_at) values (1, 2100, 4, 'epoch')`
        yield* migrate
        const rows = yield* sql`
          select company_id::int as company, folded, entry_id::int as entry from cell.deposit_reference order by 1, 3`
        assert.deepStrictEqual(rows, [
          { company: 1, folded: "BANCO-1", entry: 1 },
          { company: 2, folded: "BANCO-1", entry: 5 }
        ])
        // A recorded spelling finds its own deposit. A new spelling finds the first deposit.
        for (const [reference, entry] of [
          ["banco-1", 1],
          ["BANCO\u20131", 2],
          ["Banco-1", 1],
          ["\u2800", 3]
        ] as const) {
          const found = yield* sql`
            select entry_id::int as entry, recorded
            from directory.deposit(1, 700, 9007199254740991, ${reference}, 'epoch')`
          assert.deepStrictEqual(found, [{ entry, recorded: false }], reference)
        }
      }).pipe(Effect.provide(connectedTo(url)))
    }).pipe(Effect.scoped)
  )
})
