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

/**
 * Each fault of a gateway during a dispatch: the result, the result of a later status query, and whether the gateway
 * delivered.
 *
 * @param delivered the result without a fault.
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
