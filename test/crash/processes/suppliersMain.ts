import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Console, Effect, Schema } from "effect"
import type { DeliveryRecord, FakeRequest } from "../../fakes/FakeServer.ts"
import { fakeHttpInsurer, fakeHttpProvider } from "../../fakes/HttpSuppliers.ts"
import * as SharedClock from "./SharedClock.ts"
import { readStdinCommands } from "./StdinCommands.ts"
import { SupplierCommand, type SupplierPlan, SupplierRecord } from "./SupplierCommands.ts"
import { ReceivedEvent, startWebhookEndpoints } from "./WebhookEndpoints.ts"

// A provider and an insurer behind their protocols, and the endpoints of webhooks. They have their own process that
// no injected crash kills. The process exits with a failure if a request to a supplier violated the protocol.

const turnedAway = { status: 429, body: { outcome: "not_processed", reason: "too_many_requests" } }

const print = <A>(schema: Schema.Codec<A>, value: A) =>
  Effect.flatMap(Effect.orDie(Schema.encodeEffect(Schema.fromJsonString(schema))(value)), (line) => Console.log(line))

/** Number of requests to deliver, for each xid. */
const countSent = (taken: ReadonlyArray<FakeRequest>): Readonly<Record<string, number>> => {
  const sent: Record<string, number> = {}
  for (const { body, method } of taken) {
    const { xid } = (body ?? {}) as { readonly xid?: string }
    if (method === "POST" && xid !== undefined) sent[xid] = (sent[xid] ?? 0) + 1
  }
  return sent
}

const doneBy = (truth: DeliveryRecord) => Object.fromEntries(truth.delivered.map((xid) => [xid, truth.of(xid)]))

const main = Effect.gen(function* () {
  const secret = yield* Config.String("CRASH_SECRET")
  const provider = yield* fakeHttpProvider(secret)
  const insurer = yield* fakeHttpInsurer(secret)
  const endpoints = yield* startWebhookEndpoints
  const gateways = [provider, insurer]
  const planned: Array<string> = []

  const play = ({ decision, misbehaviours, turnedAway: isTurnedAway, xid }: SupplierPlan) => {
    planned.push(xid)
    for (const gateway of gateways) {
      if (isTurnedAway) gateway.replyNext(xid, turnedAway)
      gateway.misbehaviours.plan(xid, ...misbehaviours)
    }
    if (decision === null) return
    // The command does not state the kind of the operation, so the decision is stored for all three kinds. Only one
    // entry is ever used.
    provider.orders.set(xid, decision === "refused" ? "TRANSACTION_REJECTED" : decision)
    provider.reversals.set(xid, decision === "refused" ? "denied" : decision)
    insurer.policies.set(xid, decision)
  }
  const behave = () => {
    for (const xid of planned.splice(0)) for (const gateway of gateways) gateway.misbehaviours.forget(xid)
  }

  yield* Console.log(`ready at ${provider.url} ${insurer.url} ${endpoints.url}`)
  yield* readStdinCommands(
    SupplierCommand,
    SupplierCommand.match({
      Play: ({ plans }) =>
        Effect.andThen(
          Effect.sync(() => plans.forEach(play)),
          Console.log("planned")
        ),
      Behave: () => Effect.andThen(Effect.sync(behave), Console.log("behaving")),
      Report: () =>
        print(SupplierRecord, {
          done: { ...doneBy(provider.truth), ...doneBy(insurer.truth) },
          sent: { ...countSent(provider.taken), ...countSent(insurer.taken) }
        }),
      Subscribe: ({ subscription }) =>
        Effect.andThen(
          Effect.sync(() => endpoints.subscribe(subscription)),
          Console.log("subscribed")
        ),
      TakeEvents: () => Effect.suspend(() => print(Schema.Array(ReceivedEvent), endpoints.take()))
    })
  )
}).pipe(Effect.scoped)

Config.String("CRASH_TIME_FILE").pipe(
  Effect.flatMap((file) => Effect.provide(main, SharedClock.layer(file))),
  NodeRuntime.runMain
)
