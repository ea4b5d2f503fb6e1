import { Result } from "effect"
import { visit } from "jsonc-parser"
import { Invalid } from "../../core/domain/Errors.ts"
import { NumberLiteral } from "./NumberLiteral.ts"

/** The body, or what stands for it, is no JSON that can be read in one way only, or no object. Contract: 7. */
export const malformedBody = new Invalid({ details: { body: "json_invalido" } })

const depth_max = 32

// A byte order mark at the start is skipped: some programs on Windows write one.
const utf8 = new TextDecoder("utf-8", { fatal: true })

/**
 * Reads JSON that says one thing only: valid UTF-8, no key twice, at most 32 deep. Numbers that JavaScript would write
 * otherwise stay as they were written.
 */
export const readJson = (bytes: Uint8Array): Result.Result<unknown, Invalid> => {
  try {
    const text = utf8.decode(bytes)
    const value: unknown = JSON.parse(text)
    if (isPlain(text, value)) return Result.succeed(value)
    const { canonical } = refuseAmbiguous(text)
    return Result.succeed(canonical ? value : JSON.parse(text, keepLiteral))
  } catch {
    return Result.fail(malformedBody)
  }
}

const openings = /[[{]/g

/**
 * Is it what JavaScript would write? Then no key is given twice and no number is written otherwise; and what opens
 * so seldom is not too deep. Most clients write so, and to write it once more takes a third of looking at each part.
 */
const isPlain = (text: string, value: unknown): boolean =>
  (text.match(openings)?.length ?? 0) <= depth_max && JSON.stringify(value) === text

/**
 * Refuses what can be read in two ways: JSON.parse would let the last of two equal keys win, and others the first.
 *
 * @returns whether JavaScript would write all numbers as they are.
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

// The third argument is newer than TypeScript's idea of a reviver.
const keepLiteral = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === "number" && context?.source !== undefined && context.source !== String(value)
    ? new NumberLiteral(context.source)
    : value
