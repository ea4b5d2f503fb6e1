/**
 * What a client sends, call after call. Three words in braces stand for what differs: `{company}` takes the companies
 * in turn, `{key}` is never the same twice, `{serial}` has six digits.
 */
export interface Shape {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Over how many companies the calls are spread. */
  readonly companies: number
}

/** What the words stand for in one call. */
export interface Words {
  readonly company: number
  readonly key: string
  readonly serial: string
}

/** The words of the call of this number. */
export const wordsOf = ({ companies }: Shape, run: string, number: number): Words => ({
  company: 1 + (number % companies),
  key: `${run}-${number}`,
  serial: String(number % 1_000_000).padStart(6, "0")
})

export const fill = (text: string, words: Words): string =>
  text.replace(/\{(company|key|serial)\}/g, (_, word: keyof Words) => String(words[word]))

/** A top-up of 50 pesos to a phone that the simulator finds no fault with. */
const body = JSON.stringify({ service_id: 1, identifier: "809{serial}3", amount: 50 })
const json = { "content-type": "application/json", "idempotency-key": "{key}" }

/** See Companies.ts. */
const credentials = { authorization: "Bearer bench_{company}.secret_{company}" }

/** A sale by Saldo, spread over so many companies. */
export const saleBySaldo = (companies: number): Shape => ({
  method: "POST",
  path: "/v1/recargas",
  headers: { ...credentials, ...json },
  body,
  companies
})

/** The same sale by the peer, which takes its caller's word for the company. */
export const saleByPeer = (companies: number): Shape => ({
  method: "POST",
  path: "/v1/recargas?company={company}",
  headers: json,
  body,
  companies
})

/** Something that Saldo shows to callers with credentials. */
export const readFromSaldo = (path: string, companies: number): Shape => ({
  method: "GET",
  path,
  headers: credentials,
  body: null,
  companies
})

/** The same by one company alone. */
export const readByCompany = (path: string, company: number): Shape => ({
  method: "GET",
  path,
  headers: { authorization: `Bearer bench_${company}.secret_${company}` },
  body: null,
  companies: 1
})

export const readFromBare: Shape = { method: "GET", path: "/", headers: {}, body: null, companies: 1 }
