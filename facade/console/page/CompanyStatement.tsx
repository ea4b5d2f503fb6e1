import { Field } from "../ui/Form.tsx"
import { dateTime, pesos } from "../ui/Format.ts"
import { useLive } from "../ui/Live.ts"
import { Failed, Loading } from "../ui/States.tsx"
import { Pager, Table } from "../ui/Table.tsx"
import { api, faultOf } from "./Client.ts"
import { Link, setQuery } from "./Navigation.tsx"

const kinds: Readonly<Record<string, string>> = {
  deposit: "Depósito",
  sale: "Venta",
  reversal: "Anulación",
  adjustment: "Ajuste"
}

interface StatementProps {
  readonly companyId: number
  readonly query: URLSearchParams
  /** Changes when the company's money has moved. Each change loads the first page again. */
  readonly version: string
}

const perPage = 25

/** The statement of a company, newest first, with the balance after each entry. The filters are in the address. */
export const CompanyStatement = ({ companyId, query, version }: StatementProps) => {
  const days = { date_from: query.get("desde") ?? "", date_to: query.get("hasta") ?? "" }
  const page = Number(query.get("pagina") ?? 1)
  const filter = Object.fromEntries(Object.entries(days).filter(([, day]) => day !== ""))
  const { data, error, reload } = useLive(
    () => api.empresas.movimientos.query({ empresa_id: companyId, page, per_page: perPage, ...filter }),
    JSON.stringify([companyId, page, filter, page === 1 ? version : ""])
  )
  const file = new URLSearchParams({ empresa_id: String(companyId), ...filter })
  return (
    <section aria-labelledby="movimientos">
      <h2 id="movimientos">Movimientos</h2>
      <div class="filters">
        <Field
          name="desde"
          label="Desde"
          type="date"
          value={days.date_from}
          onInput={(desde) => setQuery({ desde, pagina: "" })}
        />
        <Field
          name="hasta"
          label="Hasta"
          type="date"
          value={days.date_to}
          onInput={(hasta) => setQuery({ hasta, pagina: "" })}
        />
        <a class="button" href={`/exportar/movimientos?${file}`} download>
          Descargar CSV
        </a>
      </div>
      {data === undefined ? (
        error === undefined ? (
          <Loading />
        ) : (
          <Failed message={faultOf(error).message} retry={reload} />
        )
      ) : (
        <>
          <Table
            caption="Movimientos"
            rows={data.items}
            keyOf={({ movimiento_id }) => movimiento_id}
            empty="No hay movimientos."
            columns={[
              { title: "Fecha", cell: ({ fecha }) => dateTime(fecha) },
              { title: "Tipo", cell: ({ tipo }) => kinds[tipo] ?? tipo },
              {
                title: "Referencia",
                cell: ({ referencia, transaction_id }) =>
                  transaction_id === null ? (
                    (referencia ?? "—")
                  ) : (
                    <Link to={`/transacciones/${transaction_id}`}>Transacción {transaction_id}</Link>
                  )
              },
              { title: "Monto", isNumber: true, cell: ({ monto }) => pesos(monto) },
              { title: "Saldo", isNumber: true, cell: ({ saldo }) => pesos(saldo) }
            ]}
          />
          <Pager
            page={page}
            pages={data.pagination.total_pages}
            onPage={(next) => setQuery({ pagina: next === 1 ? "" : String(next) })}
          />
        </>
      )}
    </section>
  )
}
