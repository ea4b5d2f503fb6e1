import { Effect } from "effect"
import { type Answer, type Errand, noAnswer } from "./Errand.ts"

/** A client waits so long for an answer. */
const patience_ms = 500

interface Envelope {
  readonly data?: { readonly transaction_id?: number; readonly auth_code?: string | null }
  readonly error?: { readonly code: string; readonly details?: { readonly transaction_id?: number } }
}

const read = async (response: Response): Promise<Answer> => {
  const { data, error } = (await response.json()) as Envelope
  return {
    status: response.status,
    code: error?.code ?? null,
    transactionId: data?.transaction_id ?? error?.details?.transaction_id ?? null,
    authCode: data?.auth_code ?? null
  }
}

/** Makes the call of an errand, once. A connection that breaks, and a server that is silent, are no answer. */
export const call = (url: string, { body, customer, key, path }: Errand): Effect.Effect<Answer> =>
  Effect.promise((signal) =>
    fetch(url + path, {
      method: "POST",
      headers: {
        authorization: customer.authorization,
        "content-type": "application/json",
        "idempotency-key": key
      },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(patience_ms)])
    })
      .then(read)
      .catch(() => noAnswer)
  )
