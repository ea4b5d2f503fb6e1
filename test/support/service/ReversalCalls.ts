import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { customer } from "./CustomerCompany.ts"
import { get, post, sell } from "./HttpCalls.ts"

export type Headers = Record<string, string>

/** Makes a sale of 100 pesos for a company that has 1000 pesos. The default service is betting credit. */
export const sold = Effect.fnUntraced(function* (identifier: string, service_id = 7) {
  const { auth, companyId } = yield* customer()
  const key = randomUUID()
  const { body } = yield* sell({ service_id, identifier, amount: 100 }, { ...auth, "idempotency-key": key })
  const id: number = body.data?.transaction_id ?? body.error.details.transaction_id
  return { auth, companyId, id, key, xid: body.data?.xid ?? body.error.details.xid }
})

export const statusOf = (auth: Headers, id: number) =>
  Effect.map(get(`/v1/transacciones/${id}`, auth), ({ body }) => body.data.status)

/** The Spanish and the English path of a reversal, and how to call each. */
export const reversalForms = (
  [
    ["/v1/transacciones", "anular"],
    ["/v1/transactions", "reverse"]
  ] as const
).map(([collection, verb]) => {
  const pathOf = (id: number | string) => `${collection}/${id}/${verb}`
  const reverse = (id: number | string, auth: Headers, key: string = randomUUID(), body?: unknown) =>
    post(pathOf(id), body, { ...auth, "idempotency-key": key })
  return { form: pathOf("{id}"), pathOf, reverse, verb }
})
