/** The servers to put under load, and the request to send. */
export interface Load {
  /** Base URLs of the servers that share the calls. */
  readonly urls: ReadonlyArray<string>
  readonly shape: RequestShape
  /** Number of concurrent calls. */
  readonly connections: number
  readonly seconds: number
  /** Number of calls a second. Without it, each connection sends its next call as soon as it receives a response. */
  readonly perSecond?: number
  /** Mean pause of a connection before each call. Without it, there is no pause. */
  readonly pause_ms?: number
}

/** Response times of the calls that succeeded. */
export interface Latencies {
  readonly p50_ms: number
  readonly p99_ms: number
  readonly p999_ms: number
  readonly longest_ms: number
}

/** Counts of a load generator. */
export interface LoadCounts extends Latencies {
  readonly succeeded: number
  /** Responses that were not a success. */
  readonly refused: number
  /** Calls without a response. */
  readonly broken: number
  readonly seconds: number
}

/** Result of a load in which every call succeeded. */
export interface LoadResult extends Latencies {
  readonly succeeded: number
  readonly perSecond: number
}

/**
 * A request with placeholders: `{company}` is replaced by each company in turn, `{key}` by a new key, and `{serial}` by
 * a number of six digits.
 */
export interface RequestShape {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Number of companies that share the calls. */
  readonly companies: number
}

/** Values of the placeholders in one call. */
export interface Placeholders {
  readonly company: number
  readonly key: string
  readonly serial: string
}

/** The placeholder values of the call with this number. */
export const placeholdersOf = ({ companies }: RequestShape, run: string, number: number): Placeholders => ({
  company: 1 + (number % companies),
  key: `${run}-${number}`,
  serial: String(number % 1_000_000).padStart(6, "0")
})

export const fillPlaceholders = (text: string, words: Placeholders): string =>
  text.replace(/\{(company|key|serial)\}/g, (_, word: keyof Placeholders) => String(words[word]))

/** The request with these placeholder values. */
export const requestOf = ({ body, headers, method, path }: RequestShape, words: Placeholders) => ({
  method,
  path: fillPlaceholders(path, words),
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, fillPlaceholders(value, words)] as const)
  ),
  ...(body !== null && { body: fillPlaceholders(body, words) })
})

/** A top-up of 50 pesos to a phone number that succeeds in the simulator. */
const body = JSON.stringify({ service_id: 1, identifier: "809{serial}3", amount: 50 })
const json = { "content-type": "application/json", "idempotency-key": "{key}" }

/** Credentials of the companies in Dataset.ts. */
const credentials = { authorization: "Bearer bench_{company}.secret_{company}" }

/** A sale in Saldo by this many companies. */
export const saleBySaldo = (companies: number): RequestShape => ({
  method: "POST",
  path: "/v1/recargas",
  headers: { ...credentials, ...json },
  body,
  companies
})

/** A sale in Saldo by a single company. */
export const saleByCompany = (company: number): RequestShape => ({
  ...saleBySaldo(1),
  headers: { authorization: `Bearer bench_${company}.secret_${company}`, ...json }
})

/** The same sale in the peer, which trusts the company number of the caller. */
export const saleByPeer = (companies: number): RequestShape => ({
  method: "POST",
  path: "/v1/recargas?company={company}",
  headers: json,
  body,
  companies
})

/** A read from Saldo with credentials. */
export const readFromSaldo = (path: string, companies: number): RequestShape => ({
  method: "GET",
  path,
  headers: credentials,
  body: null,
  companies
})

/** A read by a single company. */
export const readByCompany = (path: string, company: number): RequestShape => ({
  method: "GET",
  path,
  headers: { authorization: `Bearer bench_${company}.secret_${company}` },
  body: null,
  companies: 1
})

export const readFromBare: RequestShape = { method: "GET", path: "/", headers: {}, body: null, companies: 1 }
