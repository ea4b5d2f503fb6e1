import { createTRPCClient, httpBatchLink, httpLink, splitLink, TRPCClientError } from "@trpc/client"
import type { AppRouter } from "./TrpcRouter.ts"

export type { AppRouter } from "./TrpcRouter.ts"

export interface ClientOptions {
  /** Where the service is, such as http://localhost:3000. */
  readonly url: string
  readonly apiKey: string
  readonly apiSecret: string
}

/** What a server takes as the head of a request, with room for its other headers. */
const maxURLLength = 8_000

/** So few share an answer, which waits for the slowest of them. */
const maxItems = 50

/**
 * A typed client for programs in TypeScript. Whatever is not a success is a `SaldoError`. Reads of one moment go
 * together. What changes something goes by itself: a sale must not wait for the provider of another, nor be refused
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
 * What a call came to that is not a success. `data.error` has the code and the details of the contract; without `data`
 * there was no answer, and a sale may have been made.
 */
export type SaldoError = TRPCClientError<AppRouter>

/** Is it what a call of the client failed with? */
export const isSaldoError = (error: unknown): error is SaldoError => error instanceof TRPCClientError
