import { Result } from "effect"
import { visit } from "jsonc-parser"
import { Invalid } from "../../core/domain/Errors.ts"

/**
 * A JSON number in its original spelling, where JavaScript would write it differently: 1.10, 1e2,
 * 10.0000000000000001. Amounts are read from the spelling; any other field refuses it as not a plain number.
 */
export class NumberLiteral {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** The refusal of a body that is not JSON, is ambiguous JSON, or is no object. Contract: 7. */
export const malformedBody = new Invalid({ details: { body: "json_invalido" } })

const depth_max = 32

// A byte order mark at the start is skipped: some Windows programs write one.
const utf8 = new TextDecoder("utf-8", { fatal: true })

/**
 * Reads JSON that has one meaning only: valid UTF-8, no key twice in one object, at most 32 levels deep. Numbers that
 * JavaScript would write differently become NumberLiterals.
 */
export const readJson = (bytes: Uint8Array): Result.Result<unknown, Invalid> => {
  try {
    const text = utf8.decode(bytes)
    const value: unknown = JSON.parse(text)
    if (isUnambiguous(text, value)) return Result.succeed(value)
    const { canonical } = refuseAmbiguous(text)
    return Result.succeed(canonical ? value : JSON.parse(text, keepLiteral))
  } catch {
    return Result.fail(malformedBody)
  }
}

const openings = /[[{]/g

/**
 * Whether the text is exactly what JSON.stringify writes. Then no key is given twice and every number has its canonical
 * spelling, and few enough opening brackets cannot be too deep. Most clients write such JSON, and this check takes a
 * third of the time of a full scan.
 */
const isUnambiguous = (text: string, value: unknown): boolean =>
  (text.match(openings)?.length ?? 0) <= depth_max && JSON.stringify(value) === text

/**
 * Throws on JSON that two parsers may read differently: of two equal keys JSON.parse keeps the last, other parsers the
 * first.
 *
 * @returns whether every number has the spelling that JavaScript would give it.
 */
const refuseAmbiguous = (text: string): { readonly canonical: boolean } => {
  const keys: Array<Set<string>> = []
  let depth = 0
  let canonical = true
  const enter = () => {
    depth += 1
    if (depth > depth_max) throw new RangeError("too deep")
  }
  const leave = () => {
    depth -= 1
  }
  visit(text, {
    onObjectBegin: () => {
      enter()
      keys.push(new Set())
    },
    onObjectEnd: () => {
      leave()
      keys.pop()
    },
    onArrayBegin: enter,
    onArrayEnd: leave,
    onObjectProperty: (key) => {
      const known = keys.at(-1)
      if (known?.has(key)) throw new SyntaxError("a key given twice")
      known?.add(key)
    },
    onLiteralValue: (value, offset, length) => {
      if (typeof value === "number" && String(value) !== text.slice(offset, offset + length)) canonical = false
    }
  })
  return { canonical }
}

// TypeScript's type of a reviver does not have the third argument yet.
const keepLiteral = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === "number" && context?.source !== undefined && context.source !== String(value)
    ? new NumberLiteral(context.source)
    : value
