import { Badge } from "../ui/Badge.tsx"
import { Chart } from "../ui/Chart.tsx"
import { ago, count, dateTime, day, percent, pesos, timeOfDay } from "../ui/Format.ts"
import { useLive } from "../ui/Live.ts"
import { Failed, Loading } from "../ui/States.tsx"
import { Table } from "../ui/Table.tsx"
import { api, faultOf } from "./Client.ts"
import { Link, type ScreenProps, setQuery } from "./Navigation.tsx"
import { AttentionPart, HeldPart, type Panorama } from "./PanoramaParts.tsx"

type SupplierResult = Panorama["suplidores"]["hoy"][number]

const refresh_s = 5

const environments = [
  { value: "production", label: "Producción" },
  { value: "development", label: "Pruebas" }
] as const

/** The change against an earlier value: "+12 %". */
const change = (today: number, before: number): string =>
  before === 0 ? "sin ventas" : `${today >= before ? "+" : "−"}${percent(Math.abs(today - before) / before)}`

const Card = ({ label, note, value }: { label: string; value: string; note: string }) => (
  <div class="card">
    <span>{label}</span>
    <strong>{value}</strong>
    <small>{note}</small>
  </div>
)

const Totals = ({ data }: { data: Panorama }) => {
  const today = data.hoy.total
  const before = data.hace_una_semana_hasta_esta_hora
  const lastHour = data.suplidores.ultima_hora.filter(({ servicio }) => servicio === null)
  const [delivered, failed] = lastHour.reduce(
    ([all, none], { entregadas, fallidas }) => [all + entregadas, none + fallidas],
    [0, 0]
  )
  return (
    <div class="cards">
      <Card
        label="Ventas de hoy"
        value={count(today.ventas)}
        note={`${count(before.ventas)} hace una semana a esta hora (${change(today.ventas, before.ventas)})`}
      />
      <Card
        label="Monto de hoy"
        value={pesos(today.monto)}
        note={`${pesos(before.monto)} hace una semana a esta hora (${change(today.monto, before.monto)})`}
      />
      <Card
        label="Éxito en la última hora"
        value={delivered + failed === 0 ? "—" : percent(delivered / (delivered + failed))}
        note={`${count(delivered)} entregadas, ${count(failed)} fallidas`}
      />
      <Card
        label="Dinero retenido"
        value={pesos(data.retenido.total)}
        note={`${count(data.retenido.ventas)} ventas y ${count(data.retenido.anulaciones)} anulaciones sin resolver`}
      />
    </div>
  )
}

const hourName = (hour: number): string => `${hour % 12 === 0 ? 12 : hour % 12} ${hour < 12 ? "a. m." : "p. m."}`

const Hours = ({ data }: { data: Panorama }) => {
  const now = Number(data.fecha.slice(11, 13))
  const points = data.hoy.horas.map(({ hora }) => hourName(hora))
  const seriesOf = (what: "ventas" | "monto") => [
    { label: "Hoy", values: data.hoy.horas.map((hour) => (hour.hora > now ? null : hour[what])) },
    {
      label: day(data.hace_una_semana.dia),
      values: data.hace_una_semana.horas.map((hour) => hour[what]),
      isEarlier: true
    }
  ]
  return (
    <>
      <Chart title="Ventas por hora" points={points} series={seriesOf("ventas")} format={count} />
      <Chart title="Pesos por hora" points={points} series={seriesOf("monto")} format={pesos} />
    </>
  )
}

const Services = ({ data }: { data: Panorama }) => (
  <Table
    caption="Ventas por servicio, comparadas con hace una semana a esta hora"
    showCaption
    rows={data.servicios}
    keyOf={({ service_id }) => service_id}
    empty="Hoy no hay ventas, ni las hubo hace una semana a esta hora."
    columns={[
      { title: "Servicio", cell: ({ servicio }) => servicio, sortBy: ({ servicio }) => servicio },
      { title: "Ventas", isNumber: true, cell: ({ hoy }) => count(hoy.ventas), sortBy: ({ hoy }) => hoy.ventas },
      { title: "Monto", isNumber: true, cell: ({ hoy }) => pesos(hoy.monto), sortBy: ({ hoy }) => hoy.monto },
      { title: "Fallidas", isNumber: true, cell: ({ hoy }) => count(hoy.fallidas), sortBy: ({ hoy }) => hoy.fallidas },
      {
        title: "Ventas antes",
        isNumber: true,
        cell: ({ hace_una_semana }) => count(hace_una_semana.ventas),
        sortBy: ({ hace_una_semana }) => hace_una_semana.ventas
      },
      {
        title: "Monto antes",
        isNumber: true,
        cell: ({ hace_una_semana }) => pesos(hace_una_semana.monto),
        sortBy: ({ hace_una_semana }) => hace_una_semana.monto
      }
    ]}
  />
)

const seconds = (milliseconds: number): string => `${count(Math.round(milliseconds / 10) / 100)} s`

const Suppliers = ({ caption, results }: { caption: string; results: ReadonlyArray<SupplierResult> }) => (
  <Table
    caption={caption}
    showCaption
    rows={results}
    keyOf={({ service_id, suplidor }) => `${suplidor} ${service_id}`}
    empty="No hay ventas resueltas."
    columns={[
      {
        title: "Suplidor",
        cell: ({ suplidor }) => (suplidor === "proveedor" ? "Proveedor" : "Aseguradora"),
        sortBy: ({ suplidor }) => suplidor
      },
      {
        title: "Servicio",
        cell: ({ servicio }) => servicio ?? <strong>Todos</strong>,
        sortBy: ({ servicio }) => servicio ?? ""
      },
      {
        title: "Entregadas",
        isNumber: true,
        cell: ({ entregadas }) => count(entregadas),
        sortBy: ({ entregadas }) => entregadas
      },
      {
        title: "Fallidas",
        isNumber: true,
        cell: ({ fallidas }) => count(fallidas),
        sortBy: ({ fallidas }) => fallidas
      },
      { title: "Éxito", isNumber: true, cell: ({ exito }) => percent(exito), sortBy: ({ exito }) => exito },
      {
        title: "Mediana",
        isNumber: true,
        cell: ({ mediana_ms }) => seconds(mediana_ms),
        sortBy: ({ mediana_ms }) => mediana_ms
      },
      { title: "p95", isNumber: true, cell: ({ p95_ms }) => seconds(p95_ms), sortBy: ({ p95_ms }) => p95_ms }
    ]}
  />
)

const Closings = ({ closings }: { closings: Panorama["cierres"] }) => (
  <>
    <h2>Cierres</h2>
    <p>
      {closings.ultimo_dia === null
        ? "Todavía no hay ningún día cerrado."
        : `Último día cerrado: ${day(closings.ultimo_dia)}. Empresas al día: ${count(closings.empresas_al_dia)}.`}{" "}
      {closings.empresas_atrasadas > 0 && (
        <Badge tone="warn">{count(closings.empresas_atrasadas)} con días sin cerrar</Badge>
      )}
    </p>
  </>
)

const Audit = ({ audit }: { audit: Panorama["auditoria"] }) => (
  <>
    <h2>Última auditoría</h2>
    {audit === null ? (
      <p>Todavía no ha terminado ninguna auditoría.</p>
    ) : (
      <p>
        <Badge tone={audit.ok ? "good" : "bad"}>{audit.ok ? "Todo cuadra" : "No cuadra"}</Badge> {dateTime(audit.fecha)}{" "}
        ({ago(audit.fecha)}), en {seconds(audit.duracion_ms)}.
        {audit.violadas.map(({ invariante, violaciones }) => (
          <span key={invariante}>
            {" "}
            {invariante}: {count(violaciones)}.
          </span>
        ))}
      </p>
    )}
  </>
)

/** The page of the panorama: today's sales, suppliers, held money and problems. */
export const PanoramaPage = ({ query }: ScreenProps) => {
  const wanted = environments.find(({ value }) => value === query.get("ambiente"))?.value
  const { data, error, reload } = useLive(
    () => api.panorama.ver.query(wanted === undefined ? {} : { ambiente: wanted }),
    wanted ?? "",
    refresh_s
  )
  if (data === undefined)
    return error === undefined ? <Loading /> : <Failed message={faultOf(error).message} retry={reload} />
  return (
    <>
      <div class="buttons">
        {environments.map(({ label, value }) => (
          <button
            key={value}
            type="button"
            aria-pressed={data.ambiente === value}
            onClick={() => setQuery({ ambiente: value })}
          >
            {label}
          </button>
        ))}
        <span>
          {day(data.hoy.dia)}, a las {timeOfDay(data.fecha)}
        </span>
      </div>
      {error !== undefined && <Failed message={faultOf(error).message} retry={reload} />}
      <Totals data={data} />
      <AttentionPart data={data} />
      <h2>Ventas</h2>
      <Hours data={data} />
      <Services data={data} />
      <h2>Suplidores</h2>
      <Suppliers caption="Última hora" results={data.suplidores.ultima_hora} />
      <details>
        <summary>Ver los resultados de todo el día</summary>
        <Suppliers caption="Hoy" results={data.suplidores.hoy} />
      </details>
      <HeldPart held={data.retenido} />
      <Closings closings={data.cierres} />
      <Audit audit={data.auditoria} />
      <p>
        <Link to="/auditoria">Ver lo que hicieron los operadores</Link>
      </p>
    </>
  )
}
