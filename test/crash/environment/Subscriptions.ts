import { Effect } from "effect"
import type { Customer } from "./Environment.ts"
import type { Server, Suppliers } from "./ServersAndSuppliers.ts"

/** A webhook of a company, and the endpoint that receives its events. */
export interface CompanyEndpoint {
  readonly companyId: number
  readonly webhookId: number
  /** Path of the endpoint. */
  readonly path: string
  /** Whether the endpoint confirms every delivery. */
  readonly isHealthy: boolean
}

const createWebhook = ({ authorization }: Customer, server: Server, url: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${server.url()}/v1/webhooks`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ url })
    })
    const { data } = (await response.json()) as { readonly data: { webhook_id: number; secreto: string } }
    return data
  })

/**
 * Creates webhooks, which turn on the events of their companies. The first company has an endpoint that confirms every
 * delivery and an endpoint that fails most of them. The second company has an endpoint that confirms every
 * delivery. The third company has no webhook, so its events stay off.
 */
export const subscribeCompanies = (
  [first, second]: ReadonlyArray<Customer>,
  server: Server,
  { endpointsUrl, subscribe }: Suppliers
) =>
  Effect.forEach(
    [
      { customer: first, path: "/first", isHealthy: true },
      { customer: first, path: "/first/failing", isHealthy: false },
      { customer: second, path: "/second", isHealthy: true }
    ],
    Effect.fnUntraced(function* ({ customer, isHealthy, path }) {
      if (customer === undefined) return yield* Effect.die(new Error("there are too few companies"))
      const { secreto, webhook_id } = yield* createWebhook(customer, server, endpointsUrl + path)
      yield* subscribe({ path, secret: secreto, isHealthy })
      return { companyId: customer.companyId, webhookId: webhook_id, path, isHealthy } satisfies CompanyEndpoint
    })
  )
