const escaped = (code: number) => `"809\\u${code.toString(16).padStart(4, "0")}555"`

/** JSON strings that every text field rejects: control characters and halves of surrogate pairs. */
const unprintable: ReadonlyArray<string> = [
  ...[0x00, 0x01, 0x08, 0x09, 0x0a, 0x0d, 0x1b, 0x1f, 0x7f, 0x80, 0x85, 0x9f].map(escaped),
  ...[0xd800, 0xdbff, 0xdc00, 0xdfff].map(escaped),
  '"809\\udc00\\ud800555"'
]

/** JSON values that are neither a text nor a number. */
const neitherTextNorNumber: ReadonlyArray<string> = [
  "true",
  "false",
  "[]",
  "[1]",
  '["809"]',
  "{}",
  '{"$gt":""}',
  '{"length":5}'
]

const invalidTexts: ReadonlyArray<string> = [...neitherTextNorNumber, ...unprintable, "1", "8095550003", "1.5", "1e400"]

const invalidIntegers: ReadonlyArray<string> = [
  ...neitherTextNorNumber,
  '""',
  '"1"',
  '" 1"',
  '"١"',
  '"1 or 1=1"',
  '"\\u0000"',
  "0",
  "-1",
  "-0",
  "1.5",
  "1e-1",
  "9007199254740992",
  "9007199254740993",
  "18446744073709551616",
  "1e400",
  "-1e400"
]

const invalidAmounts: ReadonlyArray<string> = [
  ...neitherTextNorNumber,
  ...unprintable,
  ...['""', '" "', '" 100"', '"100 "', '"+100"', '"-100"', '"1e2"', '"0x64"', '"100."', '".5"', '"1,000"', '"١٠٠"'],
  ...['"NaN"', '"Infinity"', '"100;select 1"', '"100.000"', '"100.001"', '"0"', '"0.00"', '"99999999999999999999"'],
  ...["0", "-0", "-1", "-100", "0.001", "100.001", "100.000", "10.0000000000000001", "1e-7", "1e309", "-1e309"],
  ...["9007199254740993", "18446744073709551616", "1e300"]
]

const invalidBooleans: ReadonlyArray<string> = ['"true"', '"false"', '""', "0", "1", "[]", "{}"]

/** Zero is invalid only for a field with a minimum above zero. */
const withoutZeros = (values: ReadonlyArray<string>, minimum: unknown): ReadonlyArray<string> =>
  minimum === 0 ? values.filter((value) => Number(value || "-1") !== 0) : values

interface FieldSchema {
  readonly type?: unknown
  readonly anyOf?: unknown
  readonly maxLength?: unknown
  readonly minimum?: unknown
}

/** JSON values that a field of this schema rejects. */
export const invalidValuesFor = ({ anyOf, maxLength, minimum, type }: FieldSchema): ReadonlyArray<string> => {
  if (anyOf !== undefined) return invalidAmounts
  if (type === "integer") return withoutZeros(invalidIntegers, minimum)
  if (type === "array") return invalidTexts.filter((json) => json !== "[]")
  if (type === "boolean") return invalidBooleans
  return typeof maxLength === "number"
    ? [...invalidTexts, JSON.stringify("7".repeat(maxLength + 1)), JSON.stringify("😀".repeat(maxLength + 1))]
    : invalidTexts
}

/** Texts on which programs often fail, and which a text field must store unchanged. */
export const trickyTexts: ReadonlyArray<string> = [
  "'; drop table cell.balance; --",
  "' or '1'='1",
  "$1, %s, {{x}}, #{x}",
  "../../etc/passwd",
  "<script>alert(1)</script>",
  "__proto__",
  "constructor",
  "null",
  "١٢٣٤٥",
  "８０９５５５０００３",
  "\u202e8095550003",
  "\ufeff8095550003",
  "\u00a0\u2028\u2029",
  "e\u0301".repeat(10),
  "👩‍👩‍👧‍👦 😀",
  "   ",
  "\\\\\\"
]

/** Bodies that are not a JSON object or that repeat a key. */
export const invalidBodies: ReadonlyArray<readonly [name: string, body: string | Uint8Array]> = [
  ["an open brace", "{"],
  ["a list", "[]"],
  ["null", "null"],
  ["a text", '"x"'],
  ["a number", "1"],
  ["true", "true"],
  ["a comma too many", '{"a":1,}'],
  ["two objects", "{}{}"],
  ["a comment", '{"a":1 /* */}'],
  ["single quotes", "{'a':1}"],
  ["a bare key", "{a:1}"],
  ["NaN", '{"a":NaN}'],
  ["a leading zero", '{"a":01}'],
  ["a plus sign", '{"a":+1}'],
  ["a line feed inside a text", '{"a":"\n"}'],
  ["a NUL", '{"a":1}\u0000'],
  ["half an escape", '{"a":"\\u00"}'],
  ["two byte order marks", "\ufeff\ufeff{}"],
  ["a key twice", '{"a":1,"a":2}'],
  ["a key twice, with one value", '{"a":1,"a":1}'],
  ["a key twice, once escaped", '{"a":1,"\\u0061":1}'],
  ["a key twice, deep inside", '{"a":[{"b":1,"b":1}]}'],
  ["__proto__ twice", '{"__proto__":1,"__proto__":1}'],
  ["objects 33 deep", `${'{"a":'.repeat(33)}1${"}".repeat(33)}`],
  ["lists 33 deep", `{"a":${"[".repeat(32)}${"]".repeat(32)}}`],
  ["lists without end", `{"a":${"[".repeat(60_000)}`],
  ["objects without end", '{"a":'.repeat(12_000)],
  ["UTF-16", new Uint8Array(Buffer.from("{}", "utf16le"))],
  ["Latin-1", new Uint8Array(Buffer.from('{"a":"ñ"}', "latin1"))],
  ["a byte that is no UTF-8", new Uint8Array(Buffer.from('{"a":"\xff"}', "latin1"))],
  ["an overlong NUL", new Uint8Array(Buffer.from('{"a":"\xc0\x80"}', "latin1"))],
  ["a surrogate in UTF-8", new Uint8Array(Buffer.from('{"a":"\xed\xa0\x80"}', "latin1"))],
  ["gzip", new Uint8Array([0x1f, 0x8b, 0x08, 0x00])]
]

/** Query values, percent-encoded, that every field rejects. */
export const unprintableInQuery: ReadonlyArray<string> = [
  "%00",
  "a%00",
  "%01",
  "a%0ab",
  "a%0d%0ab",
  "%1f",
  "%7f",
  "%c2%80",
  "%c2%9f",
  "%ff",
  "a%ff",
  "%c3",
  "%C3a",
  "%c0%80",
  "%ed%a0%80",
  "%f4%90%80%80"
]

const invalidQueryIntegers: ReadonlyArray<string> = [
  ...unprintableInQuery,
  ...["", "0", "-1", "1.5", "1e3", "0x1", "%201", "1%20", "+1", "%2B1", "1,000", "%D9%A1", "abc", "null", "[]", "NaN"],
  ...["9007199254740992", "18446744073709551616", "9".repeat(400), "1%27--"]
]

const invalidQueryDays: ReadonlyArray<string> = [
  ...unprintableInQuery,
  ...["", "2026", "2026-1-1", "2026-02-30", "2026-13-01", "2026-00-10", "0000-01-01", "-2026-01-01", "20260101"],
  ...["2026-01-01T00:00:00Z", "2026-01-01%20", "hoy", "%D9%A2%D9%A0%D9%A2%D9%A6-01-01", "12026-01-01"]
]

/** Query values that a field of this schema rejects. */
export const invalidQueryValuesFor = ({
  enum: members,
  format,
  minimum,
  type
}: {
  readonly [key: string]: unknown
}): ReadonlyArray<string> => {
  if (type === "integer") return withoutZeros(invalidQueryIntegers, minimum)
  if (format === "date") return invalidQueryDays
  return members === undefined ? unprintableInQuery : [...unprintableInQuery, "", "success", "SUCCESS%20", "OTRO", "0"]
}

/** Malformed parts of a query. */
export const strangeQueries: ReadonlyArray<string> = [
  "",
  "&&&",
  "=",
  "=1",
  "%",
  "%zz=%zz",
  "%ff=%ff",
  "%ed%a0%80=1",
  "%00=%00",
  "__proto__=1",
  "__proto__[page]=1",
  "constructor=1",
  "page[]=1",
  "page[$gt]=",
  "q%5B%5D=1",
  "?",
  "a=1;b=2",
  "empresa_id=1",
  `x=${"7".repeat(8_000)}`,
  Array.from({ length: 500 }, (_, n) => `p${n}=${n}`).join("&")
]

/** Path segments that are not a valid id. */
export const invalidIds: ReadonlyArray<string> = [
  ...["0", "-1", "-0", "+1", "1.5", "1.0", "01", "1e3", "0x1", "1,0", "%201", "1%20", "%09", "%00", "1%00", "1%0a"],
  ...["9007199254740992", "9007199254740993", "18446744073709551616", "9".repeat(100), "9".repeat(1000), "NaN", "null"],
  ...[
    "%D9%A1",
    "%EF%BC%91",
    "%E2%85%A0",
    "abc",
    "1'--",
    "1%27%20or%201=1",
    "1;",
    "1;2",
    "%31%3B",
    "..%2f1",
    "1%2f1",
    "1%5c1"
  ],
  ...[
    "%2e%2e",
    "%252e",
    "%25",
    "%",
    "%zz",
    "%ff",
    "%c0%80",
    "%ed%a0%80",
    "{id}",
    "[1]",
    "*",
    ":id",
    "__proto__",
    "1%3Fx=1"
  ]
]
