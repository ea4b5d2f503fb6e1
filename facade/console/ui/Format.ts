/** Formats of the Dominican Republic. Times are shown in Santo Domingo time. */

const timeZone = "America/Santo_Domingo"

const pesosFormat = new Intl.NumberFormat("es-DO", {
  style: "currency",
  currency: "DOP",
  currencyDisplay: "narrowSymbol",
  minimumFractionDigits: 2
})
const numberFormat = new Intl.NumberFormat("es-DO")
const percentFormat = new Intl.NumberFormat("es-DO", { style: "percent", maximumFractionDigits: 1 })
const dayFormat = new Intl.DateTimeFormat("es-DO", { timeZone, day: "numeric", month: "short", year: "numeric" })
const timeFormat = new Intl.DateTimeFormat("es-DO", { timeZone, hour: "numeric", minute: "2-digit", hour12: true })
const secondsFormat = new Intl.DateTimeFormat("es-DO", {
  timeZone,
  hour: "numeric",
  minute: "2-digit",
  second: "2-digit",
  hour12: true
})

/** Formats an amount: `RD$ 1,234.50`. This function writes the symbol, because browsers use different symbols. */
export const pesos = (amount: number): string => {
  const digits = pesosFormat
    .formatToParts(Math.abs(amount))
    .filter(({ type }) => type !== "currency" && type !== "literal")
    .map(({ value }) => value)
    .join("")
  return `${amount < 0 ? "−" : ""}RD$ ${digits}`
}

export const count = (value: number): string => numberFormat.format(value)

/** Formats a share from 0 to 1 as a percentage: `99.2%`. */
export const percent = (share: number): string => percentFormat.format(share)

const instant = (iso: string): Date => new Date(iso)

/** Formats a day or an instant as a day: `26 nov 2026`. */
export const day = (iso: string): string =>
  dayFormat
    .format(instant(/^\d{4}-\d{2}-\d{2}$/.test(iso) ? `${iso}T12:00:00-04:00` : iso))
    .replaceAll(" de ", " ")
    .replaceAll(".", "")

/** Formats an instant: `26 nov 2026, 4:05 p. m.` */
export const dateTime = (iso: string): string => `${day(iso)}, ${timeFormat.format(instant(iso))}`

/** Formats the time of day of an instant, with seconds: `4:05:09 p. m.` */
export const timeOfDay = (iso: string): string => secondsFormat.format(instant(iso))

const units = [
  { name: "d", seconds: 86_400 },
  { name: "h", seconds: 3_600 },
  { name: "min", seconds: 60 }
] as const

/** Formats a duration in its two largest units: `2 h 5 min`. */
export const duration = (seconds: number): string => {
  const [largest, next] = units.filter(({ seconds: unit }) => seconds >= unit)
  if (largest === undefined) return `${Math.max(0, Math.round(seconds))} s`
  const whole = Math.floor(seconds / largest.seconds)
  const rest = next === undefined ? 0 : Math.floor((seconds - whole * largest.seconds) / next.seconds)
  return `${whole} ${largest.name}${rest > 0 && next !== undefined ? ` ${rest} ${next.name}` : ""}`
}

/** Formats the time since an instant: `hace 5 min`. */
export const ago = (iso: string, now_ms: number = Date.now()): string =>
  `hace ${duration((now_ms - instant(iso).getTime()) / 1_000)}`
