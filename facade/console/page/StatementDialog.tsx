import { useState } from "preact/hooks"
import { Dialog } from "../ui/Dialog.tsx"
import { Choice, Field, Form, type FormFault, type Values } from "../ui/Form.tsx"
import { count, dateTime } from "../ui/Format.ts"
import { Table } from "../ui/Table.tsx"
import { kindNames, providers } from "./CaseParts.tsx"
import { api } from "./Client.ts"
import { FileField, fileFaultOf, textOf } from "./TextFile.tsx"

type Compared = Awaited<ReturnType<typeof api.casos.comparar.mutate>>
type Comparison = NonNullable<Compared["comparacion"]>

const file_max = 12 * 1024 * 1024

const providerOptions = Object.entries(providers).map(([value, label]) => ({ value, label }))

/** The columns that the operator may name, with what each contains. */
const columns = [
  ["columna_xid", "Número (xid) de la venta"],
  ["columna_external_id", "Número del proveedor"],
  ["columna_status", "Estado"],
  ["columna_amount", "Monto"],
  ["columna_date", "Fecha"]
] as const

const Fields = ({ fault }: { fault: FormFault | null }) => (
  <>
    <Choice name="proveedor" label="Proveedor" options={providerOptions} fault={fault} />
    <Field
      name="desde"
      label="Desde"
      type="date"
      hint="Sin días se compara desde la primera hasta la última fecha del archivo."
      fault={fault}
    />
    <Field name="hasta" label="Hasta" type="date" fault={fault} />
    <details>
      <summary>Columnas con otros nombres</summary>
      {columns.map(([name, label]) => (
        <Field key={name} name={name} label={label} maxLength={200} fault={fault} />
      ))}
    </details>
  </>
)

const given = ({ proveedor: _, ...values }: Values) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""))

const Result = ({ compared: { casos, conciliadas, desde, diferencias, hasta, lineas } }: { compared: Comparison }) => {
  const kinds = Object.entries(kindNames) as ReadonlyArray<[keyof typeof kindNames, string]>
  return (
    <div role="status">
      <p>
        Desde el {dateTime(desde)} hasta el {dateTime(hasta)} el extracto se comparó con las ventas. Ningún dinero se
        movió.
      </p>
      <dl class="facts">
        {[
          ["Líneas del archivo", lineas] as const,
          ["Coinciden", conciliadas] as const,
          ...kinds.map(([kind, name]) => [name, diferencias[kind]] as const),
          ["Casos nuevos", casos.nuevos] as const,
          ["Casos reabiertos", casos.reabiertos] as const,
          ["Casos que ya no aparecen", casos.ya_no_aparecen] as const
        ].map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{count(value)}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

const Faults = ({ compared: { faltas, hay_mas } }: { compared: Compared }) => (
  <>
    <p class="wrong" role="alert">
      El archivo tiene errores{hay_mas ? "; estos son los primeros" : ""}. No se comparó nada.
    </p>
    <Table
      caption="Errores del archivo"
      rows={faltas}
      keyOf={({ columna, linea, motivo }) => `${linea} ${columna} ${motivo}`}
      empty=""
      columns={[
        { title: "Línea", isNumber: true, cell: ({ linea }) => linea },
        { title: "Columna", cell: ({ columna }) => columna ?? "—" },
        { title: "Motivo", cell: ({ motivo }) => motivo }
      ]}
    />
  </>
)

/** Compares a provider's statement with the sales. */
export const StatementDialog = ({ onClose, onDone }: { onClose: () => void; onDone: () => void }) => {
  const [file, setFile] = useState<File>()
  const [compared, setCompared] = useState<Compared>()
  const compare = async (values: Values) => {
    if (file === undefined) return
    setCompared(undefined)
    const answer = await api.casos.comparar.mutate({
      archivo: await textOf(file, file_max),
      nombre: file.name,
      proveedor: values["proveedor"] as keyof typeof providers,
      ...given(values)
    })
    setCompared(answer)
    if (answer.comparacion !== null) onDone()
  }
  return (
    <Dialog title="Comparar un extracto" onClose={onClose}>
      <Form action="Comparar" faultOf={fileFaultOf} onSubmit={compare}>
        {(fault) => (
          <>
            <FileField
              label="Extracto del proveedor (CSV)"
              accept=".csv,.txt"
              hint="Cada diferencia con las ventas queda como un caso."
              onChange={setFile}
            />
            <Fields fault={fault} />
          </>
        )}
      </Form>
      {compared && compared.comparacion === null && <Faults compared={compared} />}
      {compared?.comparacion && <Result compared={compared.comparacion} />}
    </Dialog>
  )
}
