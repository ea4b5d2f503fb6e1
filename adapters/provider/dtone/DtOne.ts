import type { Effect } from "effect"
import { HttpClient } from "effect/http"
import type { Provider } from "../../../core/ports/Provider.ts"
import { dispatch } from "./Dispatch.ts"
import { type DtOneSettings, dtOneApi } from "./DtOneApi.ts"
import { float } from "./Float.ts"
import { lookup } from "./Lookup.ts"
import { isOurs } from "./ProductRequest.ts"
import { reversalStatus, reverse, status } from "./Status.ts"

/**
 * A provider that sells through DT One's Digital Value Services. Source: DT One DVS API 1.23.0, public OpenAPI
 * description. docs/providers/dtone.md explains how each answer is treated.
 */
export const dtone = (settings: DtOneSettings): Effect.Effect<Provider, never, HttpClient.HttpClient> =>
  HttpClient.HttpClient.useSync((http): Provider => {
    const api = dtOneApi(http, settings)
    return {
      knows: isOurs,
      dispatch: (order) => dispatch(api, order),
      status: (order) => status(api, order),
      reverse: (reversal) => reverse(api, reversal),
      reversalStatus: (reversal) => reversalStatus(api, reversal),
      lookup: (query) => lookup(api, query),
      float: float(api)
    }
  })
