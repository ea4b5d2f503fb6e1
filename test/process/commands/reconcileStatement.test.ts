import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../../support/CommandLine.ts"
import { compared, comparison, soldOn, statementFile } from "../support/StatementFiles.ts"

// biome-ignore lint/suspicious/noExplicitAny: printed JSON has no type; the assertions check it
type Printed = any

const header = "xid,external_id,status,amount,date\n"

const none = { solo_nuestro: 0, solo_suyo: 0, otro_monto: 0, otro_estado: 0 }

/** The parts of a difference that identify it. */
const facts = ({ lineas, nuestro, referencia, suyo, tipo, transaction_id }: Printed) => [
  tipo,
  referencia,
  nuestro && [nuestro.status, nuestro.monto],
  suyo && [suyo.status, suyo.monto],
  lineas,
  transaction_id !== null
]

/** The rows that a comparison must not change. */
const money = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const tables = ["cell.balance", "cell.transaction", "cell.entry", "cell.idempotency"]
  return yield* Effect.forEach(tables, (table) => sql`select xmin::text, * from ${sql.literal(table)} order by 1, 2, 3`)
})

const stored = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return yield* sql`select * from directory.statement_case order by id`
})

layer(CommandLine.layer, { excludeTestServices: true })("a provider's statement", (it) => {
  it.effect("matches sales that agree in xid, status and amount", () =>
    Effect.gen(function* () {
      const company = yield* soldOn("2026-01-01", ["a", 10_050, "SUCCESS"], ["b", 200, "PENDING"], ["c", 300, "FAILED"])
      const line = (key: string, rest: string) => `RD-${company}-${key},,${rest},2026-01-01 12:00:05\n`
      const { casos, code, conciliadas, diferencias, lineas } = yield* comparison(
        header + line("a", "COMPLETED,100.5") + line("b", "SUBMITTED,2") + line("c", "DECLINED-EXCEPTION,3.00")
      )
      assert.deepStrictEqual([code, lineas, conciliadas, diferencias], [0, 3, 3, none])
      assert.deepStrictEqual(casos, { nuevos: 0, reabiertos: 0, ya_no_aparecen: 0 })
    })
  )

  it.effect("has a difference of each kind, and moves no money", () =>
    Effect.gen(function* () {
      const company = yield* soldOn(
        "2026-01-02",
        ["amount", 10_000, "SUCCESS"],
        ["status", 20_000, "FAILED"],
        ["both", 30_000, "PROCESSING"],
        ["ours", 40_000, "SUCCESS"],
        ["refused", 50_000, "FAILED"],
        ["twice", 60_000, "SUCCESS"]
      )
      const before = yield* money
      const id = (key: string) => `RD-${company}-${key}`
      const { code, conciliadas, diferencias, items } = yield* comparison(
        `${header}${id("amount")},,success,100.01,2026-01-02\n${id("status")},,success,200,2026-01-02\n` +
          `${id("both")},,reversed,299,2026-01-02\n${id("theirs")},P-9,success,7,2026-01-02\n` +
          `${id("declined")},P-8,rejected,7,2026-01-02\n` +
          `${id("twice")},,success,1,2026-01-02\n${id("twice")},,success,600,2026-01-02\n`
      )
      assert.deepStrictEqual(
        [code, conciliadas, diferencias],
        [1, 1, { solo_nuestro: 1, solo_suyo: 2, otro_monto: 2, otro_estado: 2 }]
      )
      assert.sameDeepMembers(items.map(facts), [
        ["otro_monto", id("amount"), ["SUCCESS", 100], ["SUCCESS", 100.01], 1, true],
        ["otro_estado", id("status"), ["FAILED", 200], ["SUCCESS", 200], 1, true],
        ["otro_monto", id("both"), ["PENDING", 300], ["REVERSED", 299], 1, true],
        ["otro_estado", id("both"), ["PENDING", 300], ["REVERSED", 299], 1, true],
        ["solo_nuestro", id("ours"), ["SUCCESS", 400], null, 0, true],
        ["solo_suyo", id("theirs"), null, ["SUCCESS", 7], 1, false],
        // The line that agrees with the sale is paired with the sale. No sale is left for the other line.
        ["solo_suyo", id("twice"), null, ["SUCCESS", 1], 1, true]
      ])
      assert.deepStrictEqual(yield* money, before)
    })
  )

  it.effect("is paired by the provider's id if the xid is missing or unknown", () =>
    Effect.gen(function* () {
      const company = yield* soldOn(
        "2026-01-03",
        ["one", 100, "SUCCESS"],
        ["two", 200, "SUCCESS"],
        ["three", 300, "SUCCESS"]
      )
      const { conciliadas, items } = yield* comparison(
        `${header},AUTH-one,success,1,2026-01-03\nOTHER,AUTH-two,success,2,2026-01-03\n` +
          `,RD-${company}-three,success,3,2026-01-03\n,AUTH-nine,success,9,2026-01-03\n`
      )
      assert.strictEqual(conciliadas, 3)
      assert.deepStrictEqual(items.map(facts), [["solo_suyo", "AUTH-nine", null, ["SUCCESS", 9], 1, false]])
    })
  )

  it.effect("is not paired by a provider's id that two sales share", () =>
    Effect.gen(function* () {
      yield* soldOn("2026-01-04", ["same", 100, "SUCCESS"])
      yield* soldOn("2026-01-04", ["same", 100, "SUCCESS"])
      const { diferencias } = yield* comparison(`${header},AUTH-same,success,1,2026-01-04\n`)
      assert.deepStrictEqual(diferencias, { ...none, solo_nuestro: 2, solo_suyo: 1 })
    })
  )

  it.effect("is compared with the sales of the given days only", () =>
    Effect.gen(function* () {
      const first = yield* soldOn("2026-01-06", ["a", 100, "SUCCESS"])
      const last = yield* soldOn("2026-01-08", ["a", 100, "SUCCESS"], ["b", 200, "SUCCESS"])
      const content = `${header}RD-${last}-a,,success,1,2026-01-08T11:59:00-04:00\n`
      const whole = yield* comparison(content)
      assert.deepStrictEqual([whole.desde, whole.diferencias], ["2026-01-08 11:59:00", none])
      const days = yield* comparison(content, "--desde", "2026-01-06", "--hasta", "2026-01-06")
      assert.deepStrictEqual(days.items.map(facts), [["solo_nuestro", `RD-${first}-a`, ["SUCCESS", 1], null, 0, true]])
      const both = yield* comparison(content, "--desde", "2026-01-06", "--hasta", "2026-01-08")
      assert.deepStrictEqual([both.conciliadas, both.diferencias], [1, { ...none, solo_nuestro: 2 }])
    })
  )

  it.effect("without dates needs --desde and --hasta, and without statuses counts every line as charged", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const company = yield* soldOn("2026-01-10", ["a", 100, "SUCCESS"], ["b", 200, "FAILED"])
      const content = `xid;amount\nRD-${company}-a;1\nRD-${company}-b;2\n`
      const refused = yield* refusal(...compared(yield* statementFile(content)))
      assert.deepStrictEqual([refused.exit, refused.code], [1, "STATEMENT_WITHOUT_DATES"])
      const { items } = yield* comparison(content, "--desde", "2026-01-10", "--hasta", "2026-01-10")
      assert.deepStrictEqual(items.map(facts), [
        ["otro_estado", `RD-${company}-b`, ["FAILED", 2], ["SUCCESS", 2], 1, true]
      ])
    })
  )

  it.effect("is printed as a table and as CSV", () =>
    Effect.gen(function* () {
      const { run } = yield* CommandLine
      const company = yield* soldOn("2026-01-12", ["a", 100, "SUCCESS"])
      const file = yield* statementFile(`${header}RD-${company}-a,P-1,success,"1,50",2026-01-12\n`)
      const table = yield* run(...compared(file))
      assert.strictEqual(table.code, 1)
      assert.match(table.stdout, /^0 match, 1 differ: only ours 0, only theirs 0, other amount 1, other status 0\.$/m)
      assert.match(table.stdout, new RegExp(`otro_monto  abierto  RD-${company}-a .*SUCCESS 1 +SUCCESS 1\\.5 `))
      const csv = yield* run(...compared(file, "--csv"))
      assert.strictEqual(csv.code, 1)
      const [names = "", row = "", ...more] = csv.stdout.trimEnd().split("\r\n")
      assert.deepStrictEqual(
        [names.split(",").slice(1, 5), more],
        [["tipo", "estado", "referencia", "external_id"], []]
      )
      assert.include(row, `otro_monto,abierto,RD-${company}-a,P-1,${company},`)
    })
  )

  it.effect("creates each case once if two operators compare the file at the same time", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const company = yield* soldOn("2026-01-14", ["a", 100, "SUCCESS"], ["b", 200, "SUCCESS"])
      const content = `${header}RD-${company}-a,,success,9,2026-01-14\nRD-${company}-b,,success,9,2026-01-14\n`
      const both = yield* Effect.all([comparison(content), comparison(content)], { concurrency: 2 })
      assert.deepStrictEqual(both.map(({ casos }) => casos.nuevos).sort(), [0, 2])
      const ids = both.map(({ items }) => items.map(({ caso_id }: Printed) => caso_id))
      assert.deepStrictEqual(ids[0], ids[1])
      const [audited] = yield* sql<{ comparisons: number; found: number }>`
        select count(*)::int as comparisons, sum((details -> 'cases' ->> 'found')::int)::int as found
        from directory.audit_event
        where action = 'statement_compared' and details ->> 'since' = '2026-01-14T04:00:00.000Z'`
      assert.deepStrictEqual(audited, { comparisons: 2, found: 2 })
    })
  )

  // A statement -> line, column and reason of each fault.
  it.effect.each([
    ["without ids", "status,amount\n", [[1, null, /no column with ids \(xid or external id or auth code\)/]]],
    ["without amounts", "xid,status\n", [[1, null, /no column with amounts \(amount\)/]]],
    ["with an unknown status", `${header}X-1,,gone,1,2026-01-20\n`, [[2, "status", /"gone" is not a known status/]]],
    [
      "with a wrong amount and a wrong date",
      `${header}X-1,,success,1.005,2026-01-20\nX-2,,success,1,2026-02-30\n`,
      [
        [2, "amount", /"1\.005" can be read in two ways: write 1\.00 or 1005\.00/],
        [3, "date", /"2026-02-30" is not a date/]
      ]
    ],
    ["without an id", `${header},,success,1,2026-01-20\n`, [[2, "xid", /is empty/]]],
    ["with a line that is too short", `${header}X-1,,success\n`, [[2, null, /has 3 cells, but the header has 5/]]],
    ["with an open quote", `${header}"X-1,,success,1,2026-01-20\n`, [[2, null, /Not CSV/]]],
    ["with a column given twice", "xid,amount,XID\n", [[1, null, /xid is given twice/]]]
  ] as const)("is refused %s, and nothing is stored", ([, content, expected]) =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const before = yield* stored
      const { code, details, exit } = yield* refusal(...compared(yield* statementFile(content)))
      assert.deepStrictEqual([exit, code], [1, "STATEMENT_INVALID"])
      assert.lengthOf(details.errores, expected.length)
      for (const [index, [line, column, reason]] of expected.entries()) {
        const { columna, linea, motivo } = details.errores[index]
        assert.deepStrictEqual([linea, columna], [line, column])
        assert.match(motivo, reason)
      }
      assert.deepStrictEqual(yield* stored, before)
    })
  )

  it.effect("is refused after its valid lines were read, and the error names at most 20 faults", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const good = Array.from({ length: 12_000 }, (_, n) => `G-${n},,success,1,2026-01-20\n`).join("")
      const bad = Array.from({ length: 30 }, (_, n) => `B-${n},,success,x,2026-01-20\n`).join("")
      const before = yield* stored
      const { details } = yield* refusal(...compared(yield* statementFile(header + good + bad)))
      assert.deepStrictEqual([details.errores.length, details.hay_mas, details.errores[0].linea], [20, true, 12_002])
      assert.deepStrictEqual(yield* stored, before)
    })
  )

  // Formats in which programs write the same statement.
  it.effect.each([
    [
      "with semicolons and decimal commas",
      (xid: string) => `XID;Status;Amount;Date\n${xid};OK;x;y\n`.replace("OK;x;y", "Exitosa;1.250,50;25/01/2026")
    ],
    [
      "with tabs and the line ends of Windows",
      (xid: string) => `Xid\tAMOUNT\tstatus\tCreated_At\r\n${xid}\t1250.5\tdelivered\t2026-01-25 12:00\r\n`
    ],
    [
      "with a byte order mark, quotes and a currency",
      (xid: string) =>
        `\ufeff"xid","amount","status","date"\n"${xid}","RD$ 1,250.50","SUCCESS","2026-01-25T16:00:00Z"\n`
    ],
    [
      "with more columns and empty lines",
      (xid: string) => `note,xid,amount,date,status\n\n"a, ""b""\n c",${xid},1250.5000,2026-01-25,Completed\n,,,,\n`
    ],
    [
      "in UTF-16",
      (xid: string) => Buffer.from(`\ufeffxid\tamount\tstatus\tdate\n${xid}\t1250.5\tsuccess\t2026-01-25\n`, "utf16le")
    ]
  ] as const)("is read %s", ([, contentOf]) =>
    Effect.gen(function* () {
      const company = yield* soldOn("2026-01-25", ["a", 125_050, "SUCCESS"])
      const { conciliadas } = yield* comparison(contentOf(`RD-${company}-a`))
      assert.strictEqual(conciliadas, 1)
    })
  )

  it.effect("is read with the columns that --mapa names", () =>
    Effect.gen(function* () {
      const company = yield* soldOn("2026-01-27", ["a", 100, "SUCCESS"])
      const content = `Referencia del cliente,Valor RD$,Día\nRD-${company}-a,1.00,27/01/2026\n`
      const mapped = ["--mapa", "referencia del cliente=xid,Valor RD$=amount,dia=date"]
      const { conciliadas } = yield* comparison(content, ...mapped)
      assert.strictEqual(conciliadas, 1)
      const { refusal } = yield* CommandLine
      const { details } = yield* refusal(...compared(yield* statementFile(content), "--mapa", "Ref=xid"))
      assert.match(details.errores[0].motivo, /no column Ref$/)
    })
  )

  it.effect("is read in the form of DT Shop's transactions report, with times in UTC", () =>
    Effect.gen(function* () {
      const { run } = yield* CommandLine
      const sql = yield* PgClient.PgClient
      const company = yield* soldOn("2026-01-28", ["a", 10_000, "SUCCESS"])
      yield* sql`update cell.transaction set environment = 'production' where company_id = ${company}`
      const columns = "TRANSACTION ID,EXTERNAL ID,PRODUCT ID,CREATION DATE,PRODUCT NAME,PRODUCT VALUE,BUYING PRICE"
      const file = yield* statementFile(
        `${columns}\n2400000001,RD-${company}-a,77,2026-01-28 16:00:01,Caribe 100,100,1.75\n`
      )
      const { code, stdout } = yield* run("reconcile", "--extracto", file, "--proveedor", "dtone", "--json")
      const { conciliadas, desde } = JSON.parse(stdout)
      assert.deepStrictEqual([code, conciliadas, desde], [0, 1, "2026-01-28 12:00:01"])
    })
  )

  it.effect.each([
    [["reconcile", "--proveedor", "dtone"], /need --extracto/],
    [["reconcile", "--extracto", "package.json"], /needs --proveedor: one of dtone, http, simulador/],
    [compared("package.json", "--desde", "2026-01-01"), /--desde and --hasta need each other/],
    [compared("package.json", "--desde", "2026-01-02", "--hasta", "2026-01-01"), /--hasta is before --desde/],
    [compared("package.json", "--liquidadas"), /--liquidadas and --extracto exclude each other/],
    [compared("package.json", "--mapa", "a=b"), /fields are xid, external_id, status, amount, date/],
    [compared("no-such-file.csv"), /does not exist/]
  ] as const)("is not compared by the command %j", ([args, reason]) =>
    Effect.gen(function* () {
      const { run } = yield* CommandLine
      const { code, stderr } = yield* run(...args)
      assert.strictEqual(code, 2)
      assert.match(stderr, reason)
    })
  )
})
