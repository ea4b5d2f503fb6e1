import { type Effect, flow, type Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { toPesos } from "../../../core/domain/Money.ts"
import type { Order } from "../../../core/domain/Sale.ts"
import { type Exchange, exchange } from "../../http/Exchange.ts"
import type { Party, ProductRequest } from "./ProductRequest.ts"

/** Address and credentials for DT One. */
export interface DtOneSettings {
  /** The address of the API, for example `https://dvs-api.dtone.com`. It may include the version. */
  readonly baseUrl: string
  readonly key: string
  readonly secret: Redacted.Redacted
}

/** Maximum page size of a list. */
const perPage = 100

/**
 * The requests to DT One's Digital Value Services. Source: DT One DVS API 1.23.0, public OpenAPI description. Only
 * `create` moves money.
 */
export interface DtOneApi {
  readonly create: (order: Order, requested: ProductRequest, dueOn: string | null) => Effect.Effect<Exchange>
  readonly find: (xid: string) => Effect.Effect<Exchange>
  readonly statements: (productId: number, account: string) => Effect.Effect<Exchange>
  readonly balances: Effect.Effect<Exchange>
  readonly operators: (mobileNumber: string) => Effect.Effect<Exchange>
  /** Requests one page of the fixed-value products of a mobile operator. */
  readonly packages: (operatorId: number, page: number) => Effect.Effect<Exchange>
}

export const dtOneApi = (http: HttpClient.HttpClient, { baseUrl, key, secret }: DtOneSettings): DtOneApi => {
  const client = HttpClient.mapRequest(
    http,
    flow(
      HttpClientRequest.prependUrl(`${baseUrl.replace(/\/*(\/v1)?\/*$/, "")}/v1`),
      HttpClientRequest.basicAuth(key, secret),
      HttpClientRequest.acceptJson,
      HttpClientRequest.setHeader("accept-language", "es")
    )
  )
  const get = (path: string, urlParams: Record<string, string>) =>
    exchange(client, HttpClientRequest.get(path, { urlParams }))
  const post = (path: string, body: object) =>
    exchange(client, HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(path), body))
  return {
    create: (order, requested, dueOn) => post("/async/transactions", transactionOf(order, requested, dueOn)),
    find: (xid) => get("/transactions", { external_id: xid }),
    statements: (productId, account) =>
      post("/lookup/statement-inquiry", { product_id: productId, account_number: account, per_page: perPage }),
    balances: get("/balances", {}),
    operators: (mobileNumber) => post("/lookup/mobile-number", { mobile_number: mobileNumber }),
    packages: (operatorId, page) =>
      get("/products", {
        type: "FIXED_VALUE_RECHARGE",
        operator_id: String(operatorId),
        per_page: String(perPage),
        page: String(page)
      })
  }
}

/**
 * The request that creates the transaction of an order. DT One creates and confirms the transaction in one step. The
 * xid is its external id.
 */
const transactionOf = (
  { xid }: Order,
  { amount, party, productId, statement }: ProductRequest,
  dueOn: string | null
) => ({
  external_id: xid,
  product_id: productId,
  auto_confirm: true,
  credit_party_identifier: party satisfies Party,
  ...(amount === null
    ? {}
    : {
        calculation_mode: "DESTINATION_AMOUNT",
        destination: { unit_type: "CURRENCY", unit: "DOP", amount: toPesos(amount) }
      }),
  ...(statement === null
    ? {}
    : { statement_identifier: { reference: statement, ...(dueOn === null ? {} : { due_date: dueOn }) } })
})
