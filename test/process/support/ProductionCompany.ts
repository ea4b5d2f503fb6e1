import { Effect } from "effect"
import type { CommandLine } from "../../support/CommandLine.ts"
import { authorizationOf } from "../../support/CompaniesAndTokens.ts"

/** A token as `saldo token issue` prints it. */
export interface Credentials {
  readonly api_key: string
  readonly api_secret: string
}

/** Creates a company in production with 1000 pesos and a token, by the operator's commands. */
export const createProductionCompany = Effect.fnUntraced(function* (answer: CommandLine["Service"]["answer"]) {
  const names = ["--razon-social", "Colmado", "--codigo", "C-1", "--ambiente", "production"]
  const { empresa_id: companyId } = yield* answer("company", "create", ...names)
  yield* answer("company", "deposit", `${companyId}`, "1000", "--referencia", "apertura")
  const token: Credentials = yield* answer("token", "issue", `${companyId}`, "--nombre", "caja")
  return { companyId, token }
})

/** Sells a top-up of 100 pesos. Returns the response. */
export const postSale = (url: string, { api_key, api_secret }: Credentials, key: string) =>
  Effect.promise((signal) =>
    fetch(`${url}/v1/recargas`, {
      method: "POST",
      signal,
      headers: {
        authorization: authorizationOf(api_key, api_secret),
        "idempotency-key": key,
        "content-type": "application/json"
      },
      body: JSON.stringify({ service_id: 1, identifier: "8095550123", amount: 100 })
    })
  )
