import { useState } from "preact/hooks"
import { Dialog } from "../ui/Dialog.tsx"
import { Form } from "../ui/Form.tsx"
import { count } from "../ui/Format.ts"
import { Table } from "../ui/Table.tsx"
import { toast } from "../ui/Toast.tsx"
import { api, faultOf } from "./Client.ts"
import { FileField, fileFaultOf, textOf } from "./TextFile.tsx"

type Preview = Awaited<ReturnType<typeof api.catalogo.importar.mutate>>
type Change = Preview["cambios"][number]
type FileFormat = "csv" | "json"

/** A file that the operator has chosen, with the changes that its import would make. */
interface Tried {
  readonly text: string
  readonly format: FileFormat
  readonly preview: Preview
}

const file_max = 1.5 * 1024 * 1024

const ChooseForm = ({ onTried }: { onTried: (tried: Tried) => void }) => {
  const [file, setFile] = useState<File>()
  const attempt = async () => {
    if (file === undefined) return
    const text = await textOf(file, file_max)
    const format = /\.csv$/i.test(file.name) ? "csv" : "json"
    onTried({
      text,
      format,
      preview: await api.catalogo.importar.mutate({ archivo: text, formato: format, probar: true })
    })
  }
  return (
    <Form action="Ver los cambios" faultOf={fileFaultOf} onSubmit={attempt}>
      {() => (
        <FileField
          label="Archivo CSV (UTF-8) o JSON"
          accept=".csv,.json"
          hint="Todavía no cambia nada. Las entradas que no están en el archivo no cambian."
          onChange={setFile}
        />
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
        { title: "Motivo", cell: ({ motivo }) => motivo }
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
