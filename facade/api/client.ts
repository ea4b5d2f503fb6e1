import { createTRPCClient, httpBatchLink, httpLink, splitLink, TRPCClientError } from "@trpc/client"
import type { AppRouter } from "./TrpcRouter.ts"

export type { AppRouter } from "./TrpcRouter.ts"

export interface ClientOptions {
  /** The URL of the service, for example http://localhost:3000. */
  readonly url: string
  readonly apiKey: string
  readonly apiSecret: string
}

/**
 * Maximum length of the URL of a batch. With its headers, a request then stays below the 16 KiB that the server accepts
 * for the URL and headers.
 */
const maxURLLength = 8_000

/** Maximum number of calls in a batch. The response of a batch waits for the slowest call. */
const maxItems = 50

/**
 * A typed client for TypeScript programs. Every failure is a `SaldoError`. Queries that are made at the same moment
 * share one request. Each mutation has its own request. A sale therefore never waits for another sale, and is never
 * refused together with another sale.
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
 * The error of a failed call. `data.error` contains the code and the details of the contract. If `data` is absent, no
 * response arrived, and a sale may have been made.
 */
export type SaldoError = TRPCClientError<AppRouter>

/** Whether an error is a `SaldoError`. */
export const isSaldoError = (error: unknown): error is SaldoError => error instanceof TRPCClientError
