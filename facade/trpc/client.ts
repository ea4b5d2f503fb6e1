import { createTRPCClient, httpBatchLink } from "@trpc/client"
import type { AppRouter } from "./Router.ts"

export interface ClientOptions {
  /** Where the service is, such as http://localhost:3000. */
  readonly url: string
  readonly apiKey: string
  readonly apiSecret: string
}

/** A typed client for programs in TypeScript. An error's `data.error` has the code and details of the contract. */
export const createClient = ({ apiKey, apiSecret, url }: ClientOptions) =>
  createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({
        url: `${url.replace(/\/+$/, "")}/trpc`,
        headers: { authorization: `Bearer ${apiKey}.${apiSecret}` }
      })
    ]
  })
