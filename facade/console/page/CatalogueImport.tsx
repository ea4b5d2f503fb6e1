import { useState } from "preact/hooks"
import { Dialog } from "../ui/Dialog.tsx"
import { Form } from "../ui/Form.tsx"
import { count } from "../ui/Format.ts"
import { Table } from "../ui/Table.tsx"
import { toast } from "../ui/Toast.tsx"
import { api, faultOf } from "./Client.ts"

type Preview = Awaited<ReturnType<typeof api.catalogo.importar.mutate>>
type Change = Preview["cambios"][number]
type FileFormat = "csv" | "json"

/** A file that the operator has chosen, with what its import would change. */
interface Tried {
  readonly text: string
  readonly format: FileFormat
  readonly preview: Preview
}

const file_max = 1.5 * 1024 * 1024

const decoded = async (file: File): Promise<string> => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer())
  } catch {
    throw new Error("El archivo no está en UTF-8. Guárdelo con esa codificación.")
  }
}

const ChooseForm = ({ onTried }: { onTried: (tried: Tried) => void }) => {
  const [file, setFile] = useState<File>()
  const attempt = async () => {
    if (file === undefined) return
    if (file.size > file_max) throw new Error("El archivo es demasiado grande: 1.5 MB como máximo.")
    const text = await decoded(file)
    const format = /\.csv$/i.test(file.name) ? "csv" : "json"
    onTried({
      text,
      format,
      preview: await api.catalogo.importar.mutate({ archivo: text, formato: format, probar: true })
    })
  }
  return (
    <Form
      action="Ver los cambios"
      // Errors of this page have their own text; errors of the server have the text of their refusal.
      faultOf={(error) =>
        error instanceof Error && error.name === "Error" ? { message: error.message } : faultOf(error)
      }
      onSubmit={attempt}
    >
      {() => (
        <div class="field">
          <label for="archivo">Archivo CSV (UTF-8) o JSON</label>
          <input
            id="archivo"
            type="file"
            accept=".csv,.json"
            required
            onChange={({ currentTarget }) => setFile(currentTarget.files?.[0])}
          />
          <small>Todavía no cambia nada. Las entradas que no están en el archivo no cambian.</small>
        </div>
      )}
    </Form>
  )
}

const shown = (value: Change["campos"][number]["antes"]): string =>
  value === null || value === "" ? "—" : value === true ? "sí" : value === false ? "no" : String(value)

const Faults = ({ faults }: { faults: Preview["faltas"] }) => (
  <>
    <p class="wrong" role="alert">
      El archivo tiene {count(faults.length)} {faults.length === 1 ? "error" : "errores"}. Nada se importó.
    </p>
    <Table
      caption="Errores del archivo"
      rows={faults}
      keyOf={({ linea, lugar, motivo }) => `${linea} ${lugar} ${motivo}`}
      empty=""
      columns={[
        { title: "Línea", isNumber: true, cell: ({ linea }) => linea },
        { title: "Lugar", cell: ({ lugar }) => lugar },
        { title: "Detalle técnico", cell: ({ motivo }) => <span lang="en">{motivo}</span> }
      ]}
    />
  </>
)

const Changes = ({ changes }: { changes: ReadonlyArray<Change> }) => (
  <Table
    caption="Cambios"
    rows={changes.flatMap(({ campos, ...entry }) => campos.map((campo) => ({ ...entry, ...campo })))}
    keyOf={({ campo, entrada, id }) => `${entrada} ${id} ${campo}`}
    empty="El archivo no cambia nada."
    columns={[
      {
        title: "Entrada",
        cell: ({ cambio, entrada, id }) => `${entrada} ${id}${cambio === "nuevo" ? " (nueva)" : ""}`
      },
      { title: "Campo", cell: ({ campo }) => campo },
      { title: "Antes", cell: ({ antes }) => shown(antes) },
      { title: "Después", cell: ({ despues }) => shown(despues) }
    ]}
  />
)

const ImportForm = ({ onDone, tried: { format, preview, text } }: { tried: Tried; onDone: () => void }) => (
  <Form
    action={`Importar ${count(preview.cambios.length)} ${preview.cambios.length === 1 ? "cambio" : "cambios"}`}
    faultOf={faultOf}
    onSubmit={async () => {
      await api.catalogo.importar.mutate({ archivo: text, formato: format, probar: false })
      toast("Catálogo importado.")
      onDone()
    }}
  >
    {() => <Changes changes={preview.cambios} />}
  </Form>
)

/** Imports a catalogue file after the operator has seen what it changes. */
export const CatalogueImport = ({ onClose }: { onClose: () => void }) => {
  const [tried, setTried] = useState<Tried>()
  const hasFaults = (tried?.preview.faltas.length ?? 0) > 0
  return (
    <Dialog title="Importar el catálogo" onClose={onClose}>
      <ChooseForm onTried={setTried} />
      {tried && hasFaults && <Faults faults={tried.preview.faltas} />}
      {tried && !hasFaults && tried.preview.cambios.length === 0 && <Changes changes={[]} />}
      {tried && tried.preview.cambios.length > 0 && <ImportForm tried={tried} onDone={onClose} />}
    </Dialog>
  )
}
