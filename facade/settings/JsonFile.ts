import { Result } from "effect"
import {
  findNodeAtLocation,
  getNodePath,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode
} from "jsonc-parser"

/** Where something is in JSON: names and indexes, from the outside in. */
export type JsonPath = ReadonlyArray<string | number>

/** What is wrong with a file, and where. */
export interface FileFault {
  readonly line: number
  readonly path: JsonPath
  readonly reason: string
}

/** A file of JSON that a person wrote. */
export interface JsonFile {
  readonly content: unknown
  /** The line of what is at the path or, when nothing is, of what it is missing from. */
  readonly lineOf: (path: JsonPath) => number
  /** The names that an object has twice. Readers of JSON keep one of the two in silence. */
  readonly repeated: ReadonlyArray<FileFault>
}

/** Reads a file, or tells everything that keeps it from being JSON. */
export const readJsonFile = (text: string): Result.Result<JsonFile, ReadonlyArray<FileFault>> => {
  const errors: Array<ParseError> = []
  const root = parseTree(text, errors, { disallowComments: true })
  const lineAt = lineCounter(text)
  if (root === undefined || errors.length > 0) {
    return Result.fail(
      errors.map(({ error, offset }) => ({
        line: lineAt(offset),
        path: [],
        reason: `Not JSON: ${formatErrorCode(printParseErrorCode(error))}`
      }))
    )
  }
  return Result.succeed({
    content: getNodeValue(root),
    lineOf: (path) => lineAt(startOf(nearestNode(root, path))),
    repeated: repeatedNames(root).map((name) => ({
      line: lineAt(name.offset),
      path: getNodePath(name),
      reason: "Given twice"
    }))
  })
}

const lineCounter = (text: string) => {
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]
  return (offset: number): number => starts.findLastIndex((start) => start <= offset) + 1
}

/** `CommaExpected` is `comma expected`. */
const formatErrorCode = (code: string): string => code.replace(/\B[A-Z]/g, " $&").toLowerCase()

const nearestNode = (root: Node, path: JsonPath): Node =>
  findNodeAtLocation(root, [...path]) ?? (path.length === 0 ? root : nearestNode(root, path.slice(0, -1)))

// A value that has a name begins with it.
const startOf = ({ offset, parent }: Node): number => (parent?.type === "property" ? parent.offset : offset)

const repeatedNames = ({ children = [], type }: Node): ReadonlyArray<Node> => {
  const names = type === "object" ? children.flatMap(({ children: [name] = [] }) => (name ? [name] : [])) : []
  const known = new Set<unknown>()
  const repeated = names.filter(({ value }) => known.size === known.add(value).size)
  return [...repeated, ...children.flatMap(repeatedNames)]
}
