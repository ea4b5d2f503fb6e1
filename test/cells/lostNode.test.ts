import { assert, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import { Nodes } from "../../adapters/postgres/connection/Nodes.ts"
import * as AuditPostgres from "../../adapters/postgres/reads/AuditPostgres.ts"
import * as VitalSignsPostgres from "../../adapters/postgres/reads/VitalSignsPostgres.ts"
import { CheckTimeout, pending } from "../../adapters/postgres/schema/Migrations.ts"
import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { DispatchAnswer } from "../../core/domain/Sale.ts"
import { VitalSigns } from "../../core/ports/VitalSigns.ts"
import { recover } from "../../core/workflows/Recover.ts"
import { freshDatabaseUrl, violatedInvariants } from "../support/Database.ts"
import { makeLogins } from "../support/DatabaseLogins.ts"
import { eventually } from "../support/Eventually.ts"
import { ManualClock } from "../support/InProcessService.ts"
import { addNodeCell } from "../support/NodeCells.ts"
import { SecondPostgres } from "../support/SecondPostgres.ts"
import { customer } from "../support/service/CustomerCompany.ts"
import { get, moneyOf, sell } from "../support/service/HttpCalls.ts"
import { Script, scripted } from "../support/service/ScriptedPorts.ts"
import { testServer } from "../support/service/TestServer.ts"

const databases = Effect.gen(function* () {
  const node = yield* SecondPostgres
  const url = yield* freshDatabaseUrl
  yield* Effect.provide(
    addNodeCell("este", "este", node.url),
    Database.layer({ url: Redacted.make(url), connections_max: 1 })
  )
  yield* makeLogins(node.url)
  return { url, node: { name: "este", url: node.url } }
}).pipe(Effect.orDie)

const TestLayer = Layer.unwrap(
  SecondPostgres.useSync((node) => testServer({}, scripted, Effect.provideService(databases, SecondPostgres, node)))
).pipe(Layer.provideMerge(SecondPostgres.layer))

type Headers = Record<string, string>

const sellTo = (auth: Headers, identifier: string, key: string) =>
  sell({ service_id: 1, identifier, amount: 100 }, { ...auth, "idempotency-key": key })

/** The status of a response, and whether it has Retry-After. */
const statusOf = ({ headers, status }: { readonly headers: globalThis.Headers; readonly status: number }) =>
  [status, Number(headers.get("retry-after")) > 0] as const

/** How far each step of a test advances the clock. The step is short because connecting takes real time. */
const step = Duration.millis(100)

const refused = [503, true] as const

/** Lets time pass until an effect that runs in the background ends. Returns its result. */
const whileTimePasses = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const clock = yield* ManualClock
  const fiber = yield* Effect.forkChild(work)
  yield* eventually(
    Effect.map(clock.pass(step), () => fiber.pollUnsafe()),
    (exit) => exit !== undefined
  )
  return yield* Fiber.join(fiber)
})

/** Lets time pass until the server accepts calls of a company again, and the operator is connected again. */
const untilAccepted = Effect.fnUntraced(function* (auth: Headers) {
  const clock = yield* ManualClock
  const { connect } = yield* Nodes
  yield* eventually(Effect.andThen(clock.pass(step), get("/v1/saldo", auth)), ({ status }) => status === 200)
  yield* eventually(Effect.andThen(clock.pass(step), Effect.exit(connect("este"))), Exit.isSuccess)
})

/** The invariants that an audit of both nodes finds violated. */
const violations = Effect.provide(violatedInvariants, Layer.fresh(AuditPostgres.layer))

const delivery = { authCode: "A1", rechargeToken: null }

/** A provider that counts its deliveries. */
const counting = Effect.map(Script, ({ provider }) => {
  const delivered: Array<string> = []
  return {
    delivered,
    deliver: (identifier: string, before: Effect.Effect<void> = Effect.void) =>
      provider.set(identifier, {
        dispatch: () =>
          Effect.sync(() => {
            delivered.push(identifier)
            return DispatchAnswer.Delivered({ delivery })
          }).pipe((answer) => Effect.andThen(before, answer)),
        status: () =>
          Effect.sync(() =>
            delivered.includes(identifier) ? StatusAnswer.Delivered({ delivery }) : StatusAnswer.NotFound()
          )
      })
  }
})

layer(TestLayer, { excludeTestServices: true, timeout: "2 minutes" })("a node", (it) => {
  it.effect("that does not answer causes 503 only for its own companies, and loses no money", () =>
    Effect.gen(function* () {
      const node = yield* SecondPostgres
      const { provider } = yield* Script
      const { deliver, delivered } = yield* counting
      const main = yield* customer({ cell: "cell" })
      const lost = yield* customer({ cell: "este" })
      const answer = yield* Deferred.make<void>()
      const sent = yield* Deferred.make<void>()
      deliver("8090000001")
      deliver("8090000002", Effect.andThen(Deferred.succeed(sent, undefined), Deferred.await(answer)))
      deliver("8090000003")
      provider.set("8090000009", {
        dispatch: () => Effect.succeed(DispatchAnswer.Unknown()),
        status: () => Effect.succeed(StatusAnswer.Delivered({ delivery }))
      })
      const first = yield* sellTo(lost.auth, "8090000001", "first")
      assert.strictEqual(first.status, 201)
      const held = yield* sellTo(main.auth, "8090000009", "held")
      assert.strictEqual(held.status, 202)
      const inFlight = yield* Effect.forkChild(sellTo(lost.auth, "8090000002", "in flight"))
      yield* Deferred.await(sent)

      yield* node.silence
      // The clock stands still here, so this sale shows that the other companies do not wait for the node.
      assert.strictEqual((yield* sellTo(main.auth, "8095550123", "k1")).status, 201)
      const calls = Effect.all([get("/v1/saldo", lost.auth), sellTo(lost.auth, "8090000003", "unsent")], {
        concurrency: "unbounded"
      })
      const [read, sale] = yield* whileTimePasses(calls)
      assert.deepStrictEqual([statusOf(read), statusOf(sale)], [refused, refused])
      // From now on, calls of this company are refused without a wait.
      assert.deepStrictEqual(statusOf(yield* get("/v1/saldo", lost.auth)), refused)
      assert.deepStrictEqual(statusOf(yield* sellTo(lost.auth, "8090000001", "first")), refused)
      assert.strictEqual((yield* sellTo(main.auth, "8095550123", "k2")).status, 201)

      yield* whileTimePasses(recover("all"))
      assert.deepStrictEqual(yield* moneyOf(main.auth), { available: 700, held: 0, consumed: [300, 300, 300] })
      const vitals = yield* whileTimePasses(
        Effect.provide(
          VitalSigns.use(({ read }) => read),
          VitalSignsPostgres.layer
        )
      )
      assert.deepStrictEqual(vitals.cellsDown, ["este"])
      const missing = Effect.provideService(pending, CheckTimeout, Duration.seconds(1))
      assert.deepStrictEqual(yield* whileTimePasses(missing), [])

      // The provider delivers. The outcome cannot be written yet, so the response says that the sale is pending.
      yield* Deferred.succeed(answer, undefined)
      assert.strictEqual((yield* whileTimePasses(Fiber.join(inFlight))).status, 202)

      yield* node.resume
      yield* untilAccepted(lost.auth)
      const replayed = yield* sellTo(lost.auth, "8090000001", "first")
      assert.deepStrictEqual([replayed.status, replayed.body.data], [201, first.body.data])
      const clock = yield* ManualClock
      yield* eventually(
        Effect.andThen(clock.pass(step), moneyOf(lost.auth)),
        ({ available }) => available === 800 || available === 700
      )
      // The sale at the beginning of the silence was either not reserved, or recovery finds it unknown to the provider.
      for (const _ of [1, 2]) {
        yield* clock.pass("20 minutes")
        yield* recover("all")
      }
      assert.deepStrictEqual(yield* moneyOf(lost.auth), { available: 800, held: 0, consumed: [200, 200, 200] })
      assert.deepStrictEqual(delivered, ["8090000001", "8090000002"])
      assert.deepStrictEqual(yield* violations, [])
    }).pipe(Effect.ensuring(Effect.flatMap(SecondPostgres, (node) => node.resume)))
  )

  it.effect("that is killed causes 503 only for its own companies, and sells after its restart", () =>
    Effect.gen(function* () {
      const node = yield* SecondPostgres
      const { deliver, delivered } = yield* counting
      const main = yield* customer({ cell: "cell" })
      const lost = yield* customer({ cell: "este" })
      deliver("8090000011")
      const sold = yield* sellTo(lost.auth, "8090000011", "first")
      assert.strictEqual(sold.status, 201)

      yield* node.kill
      const refusal = yield* whileTimePasses(sellTo(lost.auth, "8090000011", "second"))
      assert.deepStrictEqual(statusOf(refusal), refused)
      assert.strictEqual((yield* sellTo(main.auth, "8095550123", "k1")).status, 201)
      yield* whileTimePasses(recover("all"))

      yield* node.start
      yield* untilAccepted(lost.auth)
      const replayed = yield* sellTo(lost.auth, "8090000011", "first")
      assert.deepStrictEqual(replayed.body.data, sold.body.data)
      assert.strictEqual((yield* sellTo(lost.auth, "8090000011", "second")).status, 201)
      assert.deepStrictEqual(yield* moneyOf(lost.auth), { available: 800, held: 0, consumed: [200, 200, 200] })
      assert.lengthOf(delivered, 2)
      assert.deepStrictEqual(yield* violations, [])
    })
  )
})
