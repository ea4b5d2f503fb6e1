import type { FormFault } from "../ui/Form.tsx"
import { count } from "../ui/Format.ts"
import { faultOf } from "./Client.ts"

/** Text files that operators send. */

/** The file cannot be read. The message is for the operator. */
class UnreadableFile extends Error {}

const MiB = 1024 * 1024

const encodingOf = ([first, second]: Uint8Array): string =>
  first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"

/** The text of a file of at most this many bytes, in UTF-8 or, with a byte order mark, in UTF-16. */
export const textOf = async (file: File, bytes_max: number): Promise<string> => {
  if (file.size > bytes_max)
    throw new UnreadableFile(`El archivo es demasiado grande: ${count(bytes_max / MiB)} MB como máximo.`)
  const bytes = new Uint8Array(await file.arrayBuffer())
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes)
  } catch {
    throw new UnreadableFile("El archivo no está en UTF-8. Guárdelo con esa codificación.")
  }
}

/** The fault that the form shows after an error: an unreadable file, or the error of the call. */
export const fileFaultOf = (error: unknown): FormFault =>
  error instanceof UnreadableFile ? { message: error.message } : faultOf(error)

interface FileFieldProps {
  readonly label: string
  readonly accept: string
  readonly hint: string
  readonly onChange: (file: File | undefined) => void
}

/** A field for one file. */
export const FileField = ({ accept, hint, label, onChange }: FileFieldProps) => (
  <div class="field">
    <label for="archivo">{label}</label>
    <input
      id="archivo"
      type="file"
      accept={accept}
      required
      onChange={({ currentTarget }) => onChange(currentTarget.files?.[0])}
    />
    <small>{hint}</small>
  </div>
)
