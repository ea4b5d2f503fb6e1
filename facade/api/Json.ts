import { Result } from "effect"
import { visit } from "jsonc-parser"
import { Invalid } from "../../core/domain/Errors.ts"

/**
 * A JSON number in its original spelling. It is used if JavaScript would write the number differently, for example
 * 1.10, 1e2 or 10.0000000000000001. Amounts are read from the spelling. Integer fields accept a spelling of an integer,
 * such as 1.0. All other fields reject a NumberLiteral.
 */
export class NumberLiteral {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** The error for a body that is not JSON, is ambiguous JSON, or is not an object. Contract: 7. */
export const malformedBody = new Invalid({ details: { body: "json_invalido" } })

const depth_max = 32

// The decoder skips a byte order mark at the start, because some Windows programs write one.
const utf8 = new TextDecoder("utf-8", { fatal: true })

/**
 * Reads JSON that every parser understands in the same way. The JSON must be valid UTF-8, must not repeat a key in an
 * object, and may have at most 32 levels. Numbers that JavaScript would write differently become NumberLiterals.
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
 * Whether the text is exactly what JSON.stringify writes. Such a text repeats no key, and every number has its
 * canonical spelling. The depth is at most the number of opening brackets. Most clients write JSON like this, and this
 * check takes a third of the time of a full scan.
 */
const isUnambiguous = (text: string, value: unknown): boolean =>
  (text.match(openings)?.length ?? 0) <= depth_max && JSON.stringify(value) === text

/**
 * Throws if two parsers could read the JSON differently. If a key is repeated, JSON.parse keeps the last value, but
 * other parsers keep the first value.
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

// TypeScript's type of a reviver lacks the third argument.
const keepLiteral = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === "number" && context?.source !== undefined && context.source !== String(value)
    ? new NumberLiteral(context.source)
    : value
