import type { TRPCError } from "@trpc/server"
import { fetchRequestHandler } from "@trpc/server/adapters/fetch"
import { type Context, Effect, type Redacted } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { logDefect } from "../../core/workflows/InFlight.ts"
import { headerOf, queryOf, readBody } from "../http/Request.ts"
import { queryInput, webRequest } from "../http/TrpcRequest.ts"
import type { OperatorSession } from "./api/Procedure.ts"
import type { Services } from "./api/Services.ts"
import { sessionCookie } from "./Browser.ts"
import { type ConsoleContext, consoleRouter, defectOf } from "./ConsoleRouter.ts"
import { csrfHeader, proceduresPath } from "./Paths.ts"

/** A request to the console, with the session and the address of its caller. */
export interface ConsoleCall {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly url: URL
  /** The origin of the console, as the browser reaches it. */
  readonly origin: string
  readonly session: OperatorSession | null
  readonly address: string
}

/** Runs the procedure that the request names. */
export const callProcedure = Effect.fnUntraced(function* ({ address, origin, request, session, url }: ConsoleCall) {
  const services: Context.Context<Services> = yield* Effect.context<Services>()
  const method = request.method === "POST" ? "POST" : "GET"
  let kept: Redacted.Redacted | null | undefined
  const context: ConsoleContext = {
    services,
    session,
    address,
    isOwnOrigin: headerOf(request, "origin") === origin,
    csrf: headerOf(request, csrfHeader),
    input: (body_max) => (method === "POST" ? readBody(request, body_max) : queryInput(queryOf(url)["input"])),
    keepSession: (token) => {
      kept = token
    }
  }
  const errors: Array<TRPCError> = []
  const response = yield* Effect.promise(async (signal) => {
    const answer = await fetchRequestHandler({
      endpoint: proceduresPath,
      req: webRequest(request, method, url, signal),
      router: consoleRouter,
      allowBatching: false,
      createContext: () => context,
      onError: ({ error }) => errors.push(error)
    })
    return { status: answer.status, body: await answer.text() }
  })
  for (const defect of errors.map(defectOf)) {
    if (defect !== undefined) yield* logDefect("a call of the console failed", defect, { path: url.pathname })
  }
  return HttpServerResponse.text(response.body, {
    status: response.status,
    contentType: "application/json",
    headers: kept === undefined ? {} : { "set-cookie": sessionCookie(kept, origin) }
  })
})
