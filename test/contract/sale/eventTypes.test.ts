import { PgClient } from "@effect/sql-pg"
import { assert, it, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { instant, int8 } from "../../../adapters/postgres/connection/Sql.ts"
import { Centavos } from "../../../core/domain/Money.ts"
import { EventType } from "../../../core/domain/Webhook.ts"
import { Accounts } from "../../../core/ports/Accounts.ts"
import { documentedTypes } from "../../support/EventSchemas.ts"
import { eventually } from "../../support/Eventually.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { eventOf } from "../../support/ReceivedWebhook.ts"
import { deposit } from "../../support/service/CustomerCompany.ts"
import { sell } from "../../support/service/HttpCalls.ts"
import { inState, spanish } from "../../support/service/InsuranceCalls.ts"
import { reversalForms } from "../../support/service/ReversalCalls.ts"
import { delivering, subscriber, WebhookServer } from "../../support/service/WebhookCalls.ts"

type Subscriber = Effect.Success<ReturnType<typeof subscriber>>

const topUp = ({ auth }: Subscriber, identifier: string) => sell({ service_id: 1, identifier, amount: 100 }, auth)

const [{ reverse }] = reversalForms as [(typeof reversalForms)[number]]

/** Sells betting credit, which accepts reversals, and requests the reversal of the sale. */
const reversed = Effect.fnUntraced(function* ({ auth }: Subscriber, identifier: string) {
  const { body } = yield* sell({ service_id: 7, identifier, amount: 100 }, auth)
  yield* reverse(body.data.transaction_id, auth)
})

const alertAt = Effect.fnUntraced(function* ({ companyId }: Subscriber, pesos: number) {
  const at = yield* DateTime.now
  yield* Accounts.use((accounts) => accounts.configure(companyId, { lowBalanceAlert: Centavos.make(pesos * 100) }, at))
})

/** Adjusts the balance, as the daily reset of the sandbox does. */
const adjusted = Effect.fnUntraced(function* ({ companyId }: Subscriber) {
  const sql = yield* PgClient.PgClient
  const now = yield* DateTime.now
  // The reset skips a company that has no ledger entry before this time. With tomorrow it skips no company.
  const later = instant(DateTime.add(now, { days: 1 }))
  yield* sql`select directory.adjust(${int8(companyId)}, 5000::bigint, ${`a-${companyId}`}, ${later}, ${instant(now)})`
})

// An action of a company, and the types of the events that its webhook then receives, in order.
const cases = [
  ["sells", (one) => topUp(one, "8095550123"), ["transaction.succeeded"]],
  ["sells without a firm outcome", (one) => topUp(one, "8095550112"), ["transaction.pending"]],
  ["makes a sale that the provider refuses", (one) => topUp(one, "8095550001"), ["transaction.failed"]],
  ["reverses a sale", (one) => reversed(one, "204518"), ["transaction.succeeded", "transaction.reversed"]],
  ["is denied a reversal", (one) => reversed(one, "204593"), ["transaction.succeeded", "reversal.failed"]],
  ["sells a policy", ({ auth }) => inState.emitida(auth, spanish), ["transaction.succeeded", "insurance.issued"]],
  [
    "sells a policy that the insurer refuses",
    ({ auth }) => inState.fallida(auth, spanish),
    ["transaction.failed", "insurance.failed"]
  ],
  ["gets an alert value above its balance", (one) => alertAt(one, 60_000), ["balance.low"]],
  [
    "makes a deposit after a low balance",
    (one) => Effect.andThen(alertAt(one, 60_000), deposit(one.companyId, 20_000, `d-${one.companyId}`)),
    ["balance.low", "balance.deposited", "balance.recovered"]
  ],
  ["has its balance adjusted", adjusted, ["balance.adjusted"]],
  ["tests its webhook", ({ calls, path }) => calls("POST", `${path}/probar`), ["webhook.test"]]
] as const satisfies ReadonlyArray<
  readonly [what: string, act: (one: Subscriber) => unknown, types: ReadonlyArray<EventType>]
>

layer(WebhookServer, { excludeTestServices: true })("the webhook of a company (contract 6.1)", (it) => {
  it.effect.each(cases)(
    "that %s receives the expected events, signed and with the documented schema",
    ([, act, types]) =>
      Effect.gen(function* () {
        const one = yield* subscriber({}, { money: 50_000, company: { insuranceEnabled: true } })
        yield* delivering
        yield* act(one)
        const clock = yield* ManualClock
        yield* eventually(
          Effect.map(clock.pass("20 millis"), () => one.received.length),
          (count) => count >= types.length
        )
        const events = one.received.map((received) => eventOf(received, one.secrets))
        const ordered = events.toSorted((a, b) => a.secuencia - b.secuencia)
        assert.deepStrictEqual(
          ordered.map(({ type }) => type),
          [...types]
        )
        const { items } = (yield* one.calls("GET", "/v1/eventos")).body.data
        assert.deepStrictEqual(ordered, items)
      }).pipe(Effect.scoped)
  )
})

it("the types of events of these tests are those of the OpenAPI document and of the domain", () => {
  const produced = [...new Set(cases.flatMap(([, , types]) => types))]
  assert.sameMembers(produced, [...documentedTypes])
  assert.sameMembers(produced, [...EventType.literals])
})
