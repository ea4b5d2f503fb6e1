import { Context, type Redacted } from "effect"

/** What the operator decides about the HTTP side. */
export interface HttpOptionsShape {
  /** Whether a proxy in front, which speaks TLS, tells the client's address in X-Forwarded-For. */
  readonly trustProxy: boolean
  /** Where clients reach the service, without a slash at the end; null when only the request tells. */
  readonly publicUrl: string | null
  /** Calls a minute. Contract: 8. */
  readonly limits: { readonly perToken: number; readonly perAddress: number }
  /**
   * What /v1/info calls this deployment. Test and production companies share it, so it does not depend on a company.
   */
  readonly environment: string
  /** The credentials of the shared sandbox company, which the console shows to everybody; null when there is none. */
  readonly sandbox: { readonly apiKey: string; readonly secret: Redacted.Redacted } | null
}

export const HttpOptions = Context.Reference<HttpOptionsShape>("saldo/facade/HttpOptions", {
  defaultValue: () => ({
    trustProxy: false,
    publicUrl: null,
    limits: { perToken: 120, perAddress: 120 },
    environment: "production",
    sandbox: null
  })
})
