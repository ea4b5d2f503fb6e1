import { DateTime, Result } from "effect"
import { assert, describe, it } from "vitest"
import { readStatementAmount, readStatementDate, readStatementStatus } from "../../../core/domain/ProviderStatement.ts"

describe("an amount in a statement", () => {
  it.each([
    ["100", 10_000],
    ["100.5", 10_050],
    ["100,50", 10_050],
    ["0,5", 50],
    ["0", 0],
    ["0.125000", null],
    ["100.5000", 10_050],
    ["1,234.50", 123_450],
    ["1.234,50", 123_450],
    ["1.234.567", 123_456_700],
    ["1,234,567.8", 123_456_780],
    ["12345.600", 1_234_560],
    ["RD$ 1,250.50", 125_050],
    ["$5", 500],
    ["5.00 DOP", 500],
    ["1,234", "can be read in two ways: write 1.00 or 1234.00"],
    ["1.500", "can be read in two ways: write 1.00 or 1500.00"],
    ["1.005.00", null],
    ["12,34,567", null],
    ["1,23.4", null],
    ["-5", null],
    ["5 USD", null],
    ["1e3", null],
    ["", null],
    ["100.123", "can be read in two ways: write 100.00 or 100123.00"],
    ["1000.123", "has more than two decimals"]
  ] as const)("%s is %s", (text, expected) => {
    const read = readStatementAmount(text)
    if (typeof expected === "number") assert.strictEqual<number | null>(Result.getOrNull(read), expected)
    else assert.isTrue(Result.isFailure(read) && (expected === null || read.failure === expected), JSON.stringify(read))
  })
})

describe("a date in a statement", () => {
  const [day, instant] = [86_400_000, 1]

  it.each([
    ["2026-01-31T12:00:00Z", "local", "2026-01-31T12:00:00.000Z", instant],
    ["2026-01-31T12:00:00.123456789+02:00", "local", "2026-01-31T10:00:00.123Z", instant],
    ["2026-01-31 12:00:00", "local", "2026-01-31T16:00:00.000Z", instant],
    ["2026-01-31 12:00:00", "utc", "2026-01-31T12:00:00.000Z", instant],
    ["2026-01-31 12:00:00 UTC", "local", "2026-01-31T12:00:00.000Z", instant],
    ["2026-01-31 12:00 -0400", "utc", "2026-01-31T16:00:00.000Z", instant],
    ["31/01/2026 23:30", "local", "2026-02-01T03:30:00.000Z", instant],
    ["2026-01-31", "utc", "2026-01-31T04:00:00.000Z", day],
    ["1/2/2026", "local", "2026-02-01T04:00:00.000Z", day]
  ] as const)("%s in %s time begins at %s", (text, zone, since, lasts_ms) => {
    const dated = readStatementDate(text, zone)
    assert.isNotNull(dated)
    assert.strictEqual(DateTime.formatIso(dated.since), since)
    assert.strictEqual(DateTime.toEpochMillis(dated.until) - DateTime.toEpochMillis(dated.since), lasts_ms)
  })

  it.each(["2026-02-30", "2026-01-31 25:00", "01/31/2026", "31.01.2026", "yesterday", "", "2026-01-31Z"])(
    "is not %s",
    (text) => {
      assert.isNull(readStatementDate(text, "local"))
    }
  )
})

describe("a status in a statement", () => {
  it.each([
    ["COMPLETED", "SUCCESS"],
    [" delivered ", "SUCCESS"],
    ["Exitosa", "SUCCESS"],
    ["DECLINED-INVALID-CREDIT-PARTY", "FAILED"],
    ["Cancelled", "FAILED"],
    ["refused", "FAILED"],
    ["REVERSED", "REVERSED"],
    ["Anulada", "REVERSED"],
    ["SUBMITTED", "PENDING"],
    ["PROCESSING", "PENDING"],
    ["pending", "PENDING"],
    ["gone", null],
    ["", null]
  ] as const)("%s is %s", (text, status) => {
    assert.strictEqual(readStatementStatus(text), status)
  })
})
