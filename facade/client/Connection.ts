import { SaldoNetworkError } from "./Errors.ts"

export interface ClientOptions {
  /** The URL of the service, for example https://api.example.com. */
  readonly url: string
  readonly apiKey: string
  readonly apiSecret: string
  /** How long a call waits for each response. 45 seconds by default, because a sale can take 40. */
  readonly timeout_ms?: number | undefined
  /** Maximum number of retries of a call after failures. 5 by default. */
  readonly retries?: number | undefined
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the call: the call's promise rejects with the signal's reason. The service may still finish the operation. */
  readonly signal?: AbortSignal | undefined
  /** How long the call waits for each response. The client's timeout by default. */
  readonly timeout_ms?: number | undefined
}

/** Options of one request. */
export interface RequestOptions extends CallOptions {
  /** How long the service may hold the request before it answers. The timeout begins after this time. */
  readonly held_ms?: number | undefined
}

/** One HTTP request. */
export interface Request {
  /** Path and query. */
  readonly path: string
  /** The body of a POST. Undefined for a GET. */
  readonly body?: string
}

/** A whole HTTP response. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array
}

/** Sends a request once. Rejects with SaldoNetworkError, or with the reason of the caller's signal. */
export type Send = (request: Request, options: RequestOptions) => Promise<Answer>

const timeout_ms_default = 45_000

/**
 * The headers of every call. Checks them here, because otherwise the runtime would throw its own error at each call,
 * and that error shows the secret.
 */
const credentialsOf = ({ apiKey, apiSecret }: ClientOptions): { readonly authorization: string } => {
  const authorization = `Bearer ${apiKey}.${apiSecret}`
  try {
    new Headers({ authorization })
  } catch {
    throw new TypeError("apiKey and apiSecret have characters that a token cannot have.")
  }
  return { authorization }
}

const baseOf = ({ url }: ClientOptions): string => {
  const { href, protocol } = new URL(url)
  // An address without a protocol, such as localhost:3000, parses as a URL with the protocol "localhost:".
  if (protocol !== "https:" && protocol !== "http:") throw new TypeError("url must begin with https:// or http://.")
  return href.replace(/\/+$/, "")
}

/** Connects to a service. Throws TypeError for a URL or credentials that no call could use. */
export const connect = (options: ClientOptions): Send => {
  const { fetch = globalThis.fetch, timeout_ms: usual_ms = timeout_ms_default } = options
  const base = baseOf(options)
  const credentials = credentialsOf(options)

  const exchange = async ({ body, path }: Request, signal: AbortSignal): Promise<Answer> => {
    const sent =
      body === undefined
        ? { headers: credentials }
        : { method: "POST", body, headers: { ...credentials, "content-type": "application/json" } }
    // A redirected POST would lose its body, and a redirect could lead to another host.
    const response = await fetch(`${base}${path}`, { ...sent, signal, redirect: "manual" })
    const { headers, status } = response
    return { status, headers, bytes: new Uint8Array(await response.arrayBuffer()) }
  }

  return async (request, { held_ms = 0, signal, timeout_ms = usual_ms }) => {
    signal?.throwIfAborted()
    const wait_ms = held_ms + timeout_ms
    const controller = new AbortController()
    const abort = () => controller.abort()
    const timer = setTimeout(abort, wait_ms)
    signal?.addEventListener("abort", abort)
    try {
      return await exchange(request, controller.signal)
    } catch (cause) {
      signal?.throwIfAborted()
      const late = controller.signal.aborted ? ` within ${wait_ms} ms` : ""
      throw new SaldoNetworkError(`There was no response${late}.`, { cause })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener("abort", abort)
    }
  }
}
