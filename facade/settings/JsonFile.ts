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

/** A path in a file's content: names and indexes from the root. */
export type ContentPath = ReadonlyArray<string | number>

/** A place in a file. Lines and columns begin at 1. In CSV a column is a cell, in JSON a character. */
export interface FilePosition {
  readonly line: number
  /** Null if the fault is about the whole line. */
  readonly column: number | null
}

/** A fault in a file, with its position. */
export interface FileFault extends FilePosition {
  readonly path: ContentPath
  readonly reason: string
}

/** A parsed file. */
export interface ParsedFile {
  readonly content: unknown
  /** The position of the value at the path. If there is no value, the position of its closest existing parent. */
  readonly positionOf: (path: ContentPath) => FilePosition
  /** Names that an object contains twice. JSON parsers silently ignore one of the two. */
  readonly repeated: ReadonlyArray<FileFault>
}

/** Parses a JSON file, or returns all syntax errors. */
export const readJsonFile = (text: string): Result.Result<ParsedFile, ReadonlyArray<FileFault>> => {
  const errors: Array<ParseError> = []
  const root = parseTree(text, errors, { disallowComments: true })
  const positionAt = positionsIn(text)
  if (root === undefined || errors.length > 0) {
    return Result.fail(
      errors.map(({ error, offset }) => ({
        ...positionAt(offset),
        path: [],
        reason: `Not JSON: ${formatErrorCode(printParseErrorCode(error))}`
      }))
    )
  }
  return Result.succeed({
    content: getNodeValue(root),
    positionOf: (path) => positionAt(startOf(nearestNode(root, path))),
    repeated: repeatedNames(root).map((name) => ({
      ...positionAt(name.offset),
      path: getNodePath(name),
      reason: "Given twice"
    }))
  })
}

const positionsIn = (text: string) => {
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]
  return (offset: number): FilePosition => {
    const index = starts.findLastIndex((start) => start <= offset)
    return { line: index + 1, column: offset - (starts[index] ?? 0) + 1 }
  }
}

/** Converts `CommaExpected` to `comma expected`. */
const formatErrorCode = (code: string): string => code.replace(/\B[A-Z]/g, " $&").toLowerCase()

const nearestNode = (root: Node, path: ContentPath): Node =>
  findNodeAtLocation(root, [...path]) ?? (path.length === 0 ? root : nearestNode(root, path.slice(0, -1)))

// The position of a named value is the position of its name.
const startOf = ({ offset, parent }: Node): number => (parent?.type === "property" ? parent.offset : offset)

const repeatedNames = ({ children = [], type }: Node): ReadonlyArray<Node> => {
  const names = type === "object" ? children.flatMap(({ children: [name] = [] }) => (name ? [name] : [])) : []
  const known = new Set<unknown>()
  const repeated = names.filter(({ value }) => known.size === known.add(value).size)
  return [...repeated, ...children.flatMap(repeatedNames)]
}
