import { Effect, Layer } from "effect"
import type { StatusAnswer } from "../../core/domain/Recovery.ts"
import { DispatchAnswer } from "../../core/domain/Sale.ts"
import { customer } from "../support/service/CustomerCompany.ts"
import { get, sell } from "../support/service/HttpCalls.ts"
import { Script } from "../support/service/ScriptedPorts.ts"
import { TestServer } from "../support/service/TestServer.ts"
import { type Browser, ConsoleBeside, callConsole, signedIn } from "./TestConsole.ts"

/** A server, and a console on its database. */
export const WithConsole = Layer.provideMerge(ConsoleBeside.layer, TestServer)

/** Calls a procedure as this operator, or as a new lector. */
export const ask = (name: string, input: object, browser?: Browser) =>
  ConsoleBeside.use(({ on }) =>
    on(
      Effect.flatMap(browser === undefined ? signedIn("lector") : Effect.succeed(browser), (caller) =>
        callConsole(name, { browser: caller, input })
      )
    )
  )

/** A new operator in a browser. */
export const operator = (role: "cajero" | "supervisor") => ConsoleBeside.use(({ on }) => on(signedIn(role)))

let numbers = 0
// The simulator decides the outcome by the last digit. 9 means delivered.
export const nextPhone = () => `80955${String(++numbers).padStart(4, "0")}9`

/** A sale of 100 pesos with an unknown outcome. `said` is the provider's later answer to status queries. */
export const pendingSale = Effect.fnUntraced(function* (said: StatusAnswer) {
  const { provider } = yield* Script
  const { auth, companyId } = yield* customer()
  const identifier = nextPhone()
  provider.set(identifier, {
    dispatch: () => Effect.succeed(DispatchAnswer.Unknown()),
    status: () => Effect.succeed(said)
  })
  const { body } = yield* sell({ service_id: 1, amount: 100, identifier }, auth)
  return { auth, companyId, id: body.error.details.transaction_id as number, identifier }
})

/** The available and the held pesos of a company. */
export const moneyOf = Effect.fnUntraced(function* (auth: Record<string, string>) {
  const { body } = yield* get("/v1/saldo", auth)
  return [body.data.saldo_disponible, body.data.saldo_retenido]
})
