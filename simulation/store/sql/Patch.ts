import { readFileSync } from "node:fs"

/** A file of `sql/functions`, changed in one place. */
export interface Patch {
  readonly file: string
  readonly from: string
  readonly to: string
}

/** The original text of a file. */
export const functionText = (file: string): string =>
  readFileSync(new URL(`../../../sql/functions/${file}.sql`, import.meta.url), "utf8")

/** The changed text. Throws unless the original contains `from` exactly once. */
export const patched = ({ file, from, to }: Patch): string => {
  const text = functionText(file)
  if (text.split(from).length !== 2) throw new Error(`sql/functions/${file}.sql does not say once: ${from}`)
  return text.replace(from, () => to)
}
