/** The cells of a CSV text, line by line, by RFC 4180. */
export const parseCsv = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const lines: Array<Array<string>> = []
  let cells: Array<string> = []
  for (const [, quoted, plain = "", end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    cells.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === ",") continue
    lines.push(cells)
    cells = []
  }
  return lines
}
