import { createTRPCClient, httpBatchLink, TRPCClientError } from "@trpc/client"
import type { AppRouter } from "./Router.ts"

export type { AppRouter } from "./Router.ts"

export interface ClientOptions {
  /** Where the service is, such as http://localhost:3000. */
  readonly url: string
  readonly apiKey: string
  readonly apiSecret: string
}

/** A typed client for programs in TypeScript. Whatever is not a success is a `SaldoError`. */
export const createClient = ({ apiKey, apiSecret, url }: ClientOptions) =>
  createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({
        url: `${url.replace(/\/+$/, "")}/trpc`,
        headers: { authorization: `Bearer ${apiKey}.${apiSecret}` }
      })
    ]
  })

/**
 * What a call came to that is not a success. `data.error` has the code and the details of the contract; without `data`
 * there was no answer, and a sale may have been made.
 */
export type SaldoError = TRPCClientError<AppRouter>

/** Is it what a call of the client failed with? */
export const isSaldoError = (error: unknown): error is SaldoError => error instanceof TRPCClientError
