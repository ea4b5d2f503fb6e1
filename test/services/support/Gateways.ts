import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { DateTime, Effect, Fiber, Layer, Logger, Option, Redacted, References } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { readWhole } from "../../../adapters/http/WholeResponse.ts"
import * as HttpInsurer from "../../../adapters/insurer/HttpInsurer.ts"
import * as HttpProvider from "../../../adapters/provider/HttpProvider.ts"
import { CompanyId, Identifier, ServiceId, TransactionId } from "../../../core/domain/Ids.ts"
import type { IssuedPolicy } from "../../../core/domain/Insurance.ts"
import { Amount } from "../../../core/domain/Money.ts"
import type { Reversal } from "../../../core/domain/Reversal.ts"
import type { Order } from "../../../core/domain/Sale.ts"
import { fakeHttpInsurer, fakeHttpProvider } from "../../fakes/HttpSuppliers.ts"

/** An HTTP client that reads whole responses, as the guarded client does. */
export const Client = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, HttpClient.transformResponse(Effect.flatMap(readWhole)))
).pipe(Layer.provide(NodeHttpClient.layerUndici))

/** The services that an adapter of an external service requires. */
export const Outside = Layer.merge(Client, NodeCrypto.layerMac)

export const secret = "the-secret-that-both-sides-know-32"

/** The configuration of a gateway at a URL. */
export const gatewayAt = (baseUrl: string) => ({ baseUrl, secret: Redacted.make(secret) })

/** A local port without a listener. */
export const unusedAddress = "http://127.0.0.1:1"

/** A host that does not exist. */
export const unknownHost = "http://gateway.invalid"

/** Whether a call has no result 30 seconds after the external service received it. */
export const isSilent = Effect.fnUntraced(function* <A, E, R>(
  question: Effect.Effect<A, E, R>,
  heard: Effect.Effect<void>
) {
  const asked = yield* Effect.forkChild(Effect.timeoutOption(question, "30 seconds"))
  yield* heard
  yield* TestClock.adjust("30 seconds")
  return Option.isNone(yield* Fiber.join(asked))
})

/** A log line. */
interface Line {
  readonly level: string
  readonly message: unknown
  readonly annotations: Readonly<Record<string, unknown>>
}

/** Runs an effect. Returns its result and the log lines it wrote. */
export const withLogLines = Effect.fnUntraced(function* <A, E, R>(what: Effect.Effect<A, E, R>) {
  const lines: Array<Line> = []
  const logger = Logger.make(({ fiber, logLevel, message }) => {
    lines.push({ level: logLevel, message, annotations: fiber.getRef(References.CurrentLogAnnotations) })
  })
  return { answer: yield* Effect.provide(what, Logger.layer([logger])), lines }
})

/** A fake gateway and the provider that calls it. */
export const startProvider = Effect.gen(function* () {
  const gateway = yield* fakeHttpProvider(secret)
  return { gateway, provider: yield* HttpProvider.make(gatewayAt(gateway.url)) }
})

/** A fake insurer's gateway and the insurer port that calls it. */
export const startInsurer = Effect.gen(function* () {
  const gateway = yield* fakeHttpInsurer(secret)
  return { gateway, insurer: yield* HttpInsurer.make(gatewayAt(gateway.url)) }
})

/** The insurer's answer about a vehicle, as its gateway sends it. */
export const foundVehicle = (
  reference: string,
  version: { readonly id: string; readonly name: string; readonly suggested: boolean }
) => ({
  outcome: "found",
  reference,
  holder: "Titular de Prueba",
  vehicle: { brand: "Toyota", model: "Corolla", year: 2018, type: "automovil", chassis: "9BRBU48E0" },
  renewal: false,
  versions: [version]
})

/** A distinct xid for each number. */
export const xidOf = (number: number): string => `RD-${number.toString(16).padStart(24, "0")}`

/** A top-up of 100 pesos in production, created at the start of the test clock. */
export const order = (number: number, changes: Partial<Order> = {}): Order => ({
  companyId: CompanyId.make(7),
  transactionId: TransactionId.make(number),
  environment: "production",
  xid: xidOf(number),
  service: { id: ServiceId.make(1), name: "Recarga Caribe Móvil", type: "mobile_recharge" },
  identifier: Identifier.make("8095551234"),
  amount: Amount.make(10_000),
  product: null,
  reference: null,
  createdAt: DateTime.makeUnsafe(0),
  ...changes
})

/** The reversal of an order. */
export const reversalOf = (sold: Order): Reversal => ({
  id: sold.transactionId,
  xid: xidOf(sold.transactionId + 0xf000),
  createdAt: sold.createdAt,
  order: sold
})

/** The fake gateway's delivery of the first order. */
export const delivery = { authCode: `GW${xidOf(1).slice(-8)}`, rechargeToken: null }

/** The first order, for a policy. */
export const policyOrder = (changes: Partial<Order> = {}): Order =>
  order(1, {
    service: { id: ServiceId.make(6), name: "Seguro de ley", type: "insurance" },
    identifier: Identifier.make("a123456"),
    product: "ley",
    reference: "Q-1",
    ...changes
  })

/** The policy that the fake insurer issues for the first order. */
export const policy: IssuedPolicy = {
  number: `POL-${xidOf(1).slice(-8)}`,
  validity: { from: "2026-03-02", until: "2027-03-01" }
}
