import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { DateTime, Effect, Fiber, Layer, Logger, Option, Redacted, References } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { readWhole } from "../../../adapters/http/WholeResponse.ts"
import * as HttpInsurer from "../../../adapters/insurer/HttpInsurer.ts"
import * as HttpProvider from "../../../adapters/provider/HttpProvider.ts"
import { CompanyId, Identifier, ServiceId, TransactionId } from "../../../core/domain/Ids.ts"
import { Amount } from "../../../core/domain/Money.ts"
import type { StatusAnswer } from "../../../core/domain/Recovery.ts"
import type { Reversal } from "../../../core/domain/Reversal.ts"
import { DispatchAnswer, type Order } from "../../../core/domain/Sale.ts"
import type { Misbehaviour } from "../../fakes/FakeServer.ts"
import { fakeHttpInsurer, fakeHttpProvider } from "../../fakes/HttpSuppliers.ts"

/** A client whose answers have come back whole, as those of a guard have. */
export const Client = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, HttpClient.transformResponse(Effect.flatMap(readWhole)))
).pipe(Layer.provide(NodeHttpClient.layerUndici))

/** What an adapter needs to speak to somebody. */
export const Outside = Layer.merge(Client, NodeCrypto.layerMac)

export const secret = "the-secret-that-both-sides-know-32"

/** How a gateway is reached at an address. */
export const gatewayAt = (baseUrl: string) => ({ baseUrl, secret: Redacted.make(secret) })

/** A port of this machine on which nobody listens. */
export const unusedAddress = "http://127.0.0.1:1"

/** A host that does not exist. */
export const unknownHost = "http://gateway.invalid"

/** Is there only silence for 30 seconds from somebody who has heard the question? */
export const isSilent = Effect.fnUntraced(function* <A, E, R>(
  question: Effect.Effect<A, E, R>,
  heard: Effect.Effect<void>
) {
  const asked = yield* Effect.forkChild(Effect.timeoutOption(question, "30 seconds"))
  yield* heard
  yield* TestClock.adjust("30 seconds")
  return Option.isNone(yield* Fiber.join(asked))
})

/** A line of the log. */
interface Line {
  readonly level: string
  readonly message: unknown
  readonly annotations: Readonly<Record<string, unknown>>
}

/** Does something, and answers what was logged meanwhile. */
export const withLogLines = Effect.fnUntraced(function* <A, E, R>(what: Effect.Effect<A, E, R>) {
  const lines: Array<Line> = []
  const logger = Logger.make(({ fiber, logLevel, message }) => {
    lines.push({ level: logLevel, message, annotations: fiber.getRef(References.CurrentLogAnnotations) })
  })
  return { answer: yield* Effect.provide(what, Logger.layer([logger])), lines }
})

/** A gateway of the operator's, and the provider that asks it. */
export const startProvider = Effect.gen(function* () {
  const gateway = yield* fakeHttpProvider(secret)
  return { gateway, provider: yield* HttpProvider.make(gatewayAt(gateway.url)) }
})

/** An insurer's gateway, and the insurer that asks it. */
export const startInsurer = Effect.gen(function* () {
  const gateway = yield* fakeHttpInsurer(secret)
  return { gateway, insurer: yield* HttpInsurer.make(gatewayAt(gateway.url)) }
})

/**
 * What is heard of a gateway of ours that misbehaves when it is told to deliver: at once, when it is asked later, and
 * whether it has delivered.
 *
 * @param delivered what one hears that does not.
 */
export const misbehaviourCases = <Delivery>(
  delivered: DispatchAnswer<Delivery>
): ReadonlyArray<readonly [Misbehaviour, DispatchAnswer<Delivery>, StatusAnswer["_tag"], boolean]> => [
  ["cut before", DispatchAnswer.Unknown(), "NotFound", false],
  ["cut after", DispatchAnswer.Unknown(), "Delivered", true],
  ["cut midway", DispatchAnswer.Unknown(), "Delivered", true],
  ["broken before", DispatchAnswer.Unknown(), "NotFound", false],
  ["broken after", DispatchAnswer.Unknown(), "Delivered", true],
  ["garbage", DispatchAnswer.Unknown(), "Delivered", true],
  ["contradiction", DispatchAnswer.Unknown(), "Delivered", true],
  ["duplicate", delivered, "Delivered", true],
  ["late", DispatchAnswer.Unknown(), "Unknown", true],
  ["not found", DispatchAnswer.Unknown(), "NotFound", false]
]

/** Names of sales and reversals, none like another. */
export const xidOf = (number: number): string => `RD-${number.toString(16).padStart(24, "0")}`

/** A top-up of 100 pesos in production, made when the test's clock began. */
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
