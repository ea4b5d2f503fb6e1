/** Who is put under load, and with what. */
export interface Load {
  /** The addresses of the servers that share the calls. */
  readonly urls: ReadonlyArray<string>
  readonly shape: RequestShape
  /** How many calls are under way at once. */
  readonly connections: number
  readonly seconds: number
}

/** What a load generator counts. */
export interface LoadCounts {
  readonly succeeded: number
  /** Answers that were not a success. */
  readonly refused: number
  /** Calls without an answer. */
  readonly broken: number
  readonly seconds: number
  readonly p50_ms: number
  readonly p99_ms: number
}

/** How a service did under a load that it answered without a fault. */
export interface LoadResult {
  readonly succeeded: number
  readonly perSecond: number
  readonly p50_ms: number
  readonly p99_ms: number
}

/**
 * What a client sends, call after call. Three words in braces stand for what differs: `{company}` takes the companies
 * in turn, `{key}` is never the same twice, `{serial}` has six digits.
 */
export interface RequestShape {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Over how many companies the calls are spread. */
  readonly companies: number
}

/** What the words stand for in one call. */
export interface Placeholders {
  readonly company: number
  readonly key: string
  readonly serial: string
}

/** The words of the call of this number. */
export const placeholdersOf = ({ companies }: RequestShape, run: string, number: number): Placeholders => ({
  company: 1 + (number % companies),
  key: `${run}-${number}`,
  serial: String(number % 1_000_000).padStart(6, "0")
})

export const fillPlaceholders = (text: string, words: Placeholders): string =>
  text.replace(/\{(company|key|serial)\}/g, (_, word: keyof Placeholders) => String(words[word]))

/** A top-up of 50 pesos to a phone that the simulator finds no fault with. */
const body = JSON.stringify({ service_id: 1, identifier: "809{serial}3", amount: 50 })
const json = { "content-type": "application/json", "idempotency-key": "{key}" }

/** See Companies.ts. */
const credentials = { authorization: "Bearer bench_{company}.secret_{company}" }

/** A sale by Saldo, spread over so many companies. */
export const saleBySaldo = (companies: number): RequestShape => ({
  method: "POST",
  path: "/v1/recargas",
  headers: { ...credentials, ...json },
  body,
  companies
})

/** The same sale by the peer, which takes its caller's word for the company. */
export const saleByPeer = (companies: number): RequestShape => ({
  method: "POST",
  path: "/v1/recargas?company={company}",
  headers: json,
  body,
  companies
})

/** Something that Saldo shows to callers with credentials. */
export const readFromSaldo = (path: string, companies: number): RequestShape => ({
  method: "GET",
  path,
  headers: credentials,
  body: null,
  companies
})

/** The same by one company alone. */
export const readByCompany = (path: string, company: number): RequestShape => ({
  method: "GET",
  path,
  headers: { authorization: `Bearer bench_${company}.secret_${company}` },
  body: null,
  companies: 1
})

export const readFromBare: RequestShape = { method: "GET", path: "/", headers: {}, body: null, companies: 1 }
