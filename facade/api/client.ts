import { createTRPCClient, httpBatchLink, httpLink, splitLink, TRPCClientError } from "@trpc/client"
import type { AppRouter } from "./TrpcRouter.ts"

export type { AppRouter } from "./TrpcRouter.ts"

export interface ClientOptions {
  /** The URL of the service, such as http://localhost:3000. */
  readonly url: string
  readonly apiKey: string
  readonly apiSecret: string
}

/** Keeps the URL of a batch, with its headers, below the 16 KiB that the server reads as the head of a request. */
const maxURLLength = 8_000

/** The size of a batch. Its response waits for the slowest of its calls. */
const maxItems = 50

/**
 * A typed client for TypeScript programs. Every failure is a `SaldoError`. Queries that are made at the same moment share
 * one request. Each mutation has its own request: a sale must not wait for the provider of another sale, nor be refused
 * with it.
 */
export const createClient = ({ apiKey, apiSecret, url }: ClientOptions) => {
  const server = {
    url: `${url.replace(/\/+$/, "")}/trpc`,
    headers: { authorization: `Bearer ${apiKey}.${apiSecret}` }
  }
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === "query",
        true: httpBatchLink({ ...server, maxItems, maxURLLength }),
        false: httpLink(server)
      })
    ]
  })
}

/**
 * A failed call. `data.error` has the code and the details of the contract. Without `data` no response arrived, and a
 * sale may have been made.
 */
export type SaldoError = TRPCClientError<AppRouter>

/** Whether an error is that of a failed call. */
export const isSaldoError = (error: unknown): error is SaldoError => error instanceof TRPCClientError
