import { Duration, Effect, Option, Schedule } from "effect"
import type { SeededRandom } from "../support/SeededRandom.ts"
import { closeAndOpenCell } from "./CloseCell.ts"
import { onNodeOf } from "./environment/CellReads.ts"
import { secondNode } from "./environment/Environment.ts"
import { endPostgres, untilPostgresAnswers } from "./environment/Postgres.ts"
import { passMidnight, passMinutes } from "./environment/RunTime.ts"
import type { Server } from "./environment/ServersAndSuppliers.ts"
import { beforeLoadEnds, companiesSell, type FaultContext, sales_max, waitDuringLoad } from "./FaultContext.ts"
import { Fault, statementMarkers } from "./Faults.ts"
import { killMove } from "./KillMove.ts"
import type { CrashPoint, PlannedSignal } from "./processes/CrashPoints.ts"

/**
 * How many times transactions may become due for recovery before the run stops waiting for a crash point of recovery.
 */
const dues_max = 20

/** Time within which a running server asks the suppliers about the transactions that are due. */
const recovery_max = Duration.millis(250)

/** How many minutes pass after the earliest closing of a day before the run stops waiting for a crash point of closings. */
const closingMinutes_max = 40

const sleepBetween = (chance: SeededRandom, from_ms: number, to_ms: number) =>
  Effect.sleep(Duration.millis(chance.between(from_ms, to_ms)))

const reviveAfterDeath = Effect.fnUntraced(function* ({ chance, log }: FaultContext, server: Server) {
  yield* Effect.repeat(Effect.sync(server.isDead), { until: (dead) => dead, schedule: Schedule.spaced("5 millis") })
  yield* sleepBetween(chance, 0, 150)
  yield* server.revive
  log.add(`${server.name} accepts calls again`)
})

/**
 * Arms a signal at a crash point. If the server does not reach the point before the clients stop or the timeout passes, the
 * server gets the signal at the end of this wait.
 *
 * @returns whether the server reached the point.
 */
const armKillPoint = Effect.fnUntraced(function* (context: FaultContext, server: Server, planned: PlannedSignal) {
  const { reached, log } = context
  yield* server.arm(planned)
  const seen = yield* beforeLoadEnds(context, server.reached(planned.point))
  if (Option.isSome(seen)) {
    reached.add(planned.point)
    log.add(`${server.name} gets ${planned.signal} ${planned.point}`)
  } else {
    yield* server.arm(null)
    yield* server.signal(planned.signal)
    log.add(`${server.name} gets ${planned.signal} without reaching ${planned.point}`)
  }
  return Option.isSome(seen)
})

const pauseServer = Effect.fnUntraced(function* (
  context: FaultContext,
  server: Server,
  { minutes, point }: { minutes: number; point: CrashPoint }
) {
  const happens = yield* armKillPoint(context, server, {
    point,
    visit: context.chance.between(1, 3),
    signal: "SIGSTOP"
  })
  yield* Effect.provide(passMinutes(context.environment.time, minutes), context.environment.operator)
  yield* server.signal("SIGCONT")
  context.log.add(`${server.name} continues, ${minutes} minutes later`)
  return happens
})

const killServer = Effect.fnUntraced(function* (context: FaultContext, server: Server, point: CrashPoint) {
  const happens = yield* armKillPoint(context, server, {
    point,
    visit: context.chance.between(1, 3),
    signal: "SIGKILL"
  })
  yield* reviveAfterDeath(context, server)
  return happens
})

/**
 * Arms all servers, because each of them may do the work that becomes due while the time passes.
 *
 * @returns the server that reached the point first, if any.
 */
const armAll = Effect.fnUntraced(function* (
  { log, reached, servers }: FaultContext,
  planned: PlannedSignal,
  timePasses: Effect.Effect<void>
) {
  const { point, signal } = planned
  yield* Effect.forEach(servers, ({ arm }) => arm(planned))
  const first = Effect.raceAllFirst(servers.map((server) => Effect.as(server.reached(point), server)))
  const seen = yield* Effect.raceFirst(Effect.asSome(first), Effect.as(timePasses, Option.none<Server>()))
  yield* Effect.forEach(servers, ({ arm }) => arm(null))
  if (Option.isSome(seen)) reached.add(point)
  log.add(Option.isSome(seen) ? `${seen.value.name} gets ${signal} ${point}` : `no server reached the point: ${point}`)
  return seen
})

/** Restarts the server that died at its crash point. The other server may have reached the point at the same time. */
const reviveAll = Effect.fnUntraced(function* (context: FaultContext, dead: Option.Option<Server>) {
  if (Option.isSome(dead)) yield* reviveAfterDeath(context, dead.value)
  yield* Effect.forEach(context.servers, ({ revive }) => revive)
  return Option.isSome(dead)
})

const killRecovery = Effect.fnUntraced(function* (context: FaultContext, point: CrashPoint) {
  const { environment } = context
  // Recovery needs open transactions to claim.
  yield* waitDuringLoad(context)
  const due = Effect.andThen(environment.time.jump("61 seconds"), Effect.sleep(recovery_max))
  const planned: PlannedSignal = { point, visit: 1, signal: "SIGKILL" }
  const seen = yield* armAll(context, planned, Effect.asVoid(Effect.repeat(due, { times: dues_max })))
  return yield* reviveAll(context, seen)
})

/** Lets a midnight pass during the load, and the minutes after it in which the servers close the day. */
const armClosing = Effect.fnUntraced(function* (context: FaultContext, planned: Omit<PlannedSignal, "visit">) {
  const { chance, environment } = context
  yield* waitDuringLoad(context)
  const passes = passMidnight(environment.time, closingMinutes_max)
  return yield* armAll(context, { ...planned, visit: chance.between(1, 2) }, passes)
})

const killClosing = Effect.fnUntraced(function* (context: FaultContext, point: CrashPoint) {
  return yield* reviveAll(context, yield* armClosing(context, { point, signal: "SIGKILL" }))
})

/** Continues all servers except `stopped`. They may have reached the crash point at the same time, and so be stopped too. */
const continueOthers = ({ servers }: FaultContext, stopped: Server) =>
  Effect.forEach(
    servers.filter((server) => server !== stopped),
    (server) => server.signal("SIGCONT"),
    { discard: true }
  )

/** Stops a server that closes a day. Meanwhile the other server must be able to sell, and to close the day. */
const pauseClosing = Effect.fnUntraced(function* (
  context: FaultContext,
  { minutes, point }: { minutes: number; point: CrashPoint }
) {
  const { environment, log } = context
  const seen = yield* armClosing(context, { point, signal: "SIGSTOP" })
  if (Option.isNone(seen)) return false
  const stopped = seen.value
  const othersContinue = Effect.repeat(continueOthers(context, stopped), Schedule.spaced("100 millis"))
  const sells = Effect.raceFirst(companiesSell(context, environment.customers), othersContinue)
  const sold = yield* beforeLoadEnds(context, sells, sales_max)
  if (Option.isNone(sold) && !context.load.isStopped())
    return yield* Effect.die(new Error(`a company cannot sell while ${stopped.name} is stopped at the point: ${point}`))
  yield* Effect.provide(passMinutes(environment.time, minutes), environment.operator)
  yield* stopped.signal("SIGCONT")
  log.add(`${stopped.name} continues, ${minutes} minutes later`)
  return Option.isSome(sold)
})

const killBothServers = Effect.fnUntraced(function* (context: FaultContext) {
  yield* waitDuringLoad(context)
  yield* Effect.forEach(context.servers, ({ signal }) => signal("SIGKILL"))
  context.log.add("both servers get SIGKILL")
  yield* Effect.forEach(context.servers, (server) => reviveAfterDeath(context, server), { concurrency: "unbounded" })
  return true
})

const stallSuppliers = Effect.fnUntraced(function* (context: FaultContext, minutes: number) {
  const {
    chance,
    environment: { suppliers, time },
    log
  } = context
  yield* waitDuringLoad(context)
  yield* suppliers.signal("SIGSTOP")
  log.add("the suppliers are stopped")
  yield* sleepBetween(chance, 100, 200)
  yield* time.jump(Duration.minutes(minutes))
  yield* suppliers.signal("SIGCONT")
  log.add(`the suppliers continue, ${minutes} minutes later`)
  return true
})

const cutConnection = Effect.fnUntraced(function* (
  context: FaultContext,
  { cut, what }: Extract<Fault, { _tag: "Cut" }>
) {
  const { proxy } = context.environment
  yield* waitDuringLoad(context)
  const before = proxy.cuts()
  proxy.arm(cut, statementMarkers[what])
  const happens = Effect.repeat(Effect.sync(proxy.cuts), {
    until: (cuts) => cuts > before,
    schedule: Schedule.spaced("10 millis")
  })
  const seen = yield* beforeLoadEnds(context, happens)
  context.log.add(`the connection was ${Option.isSome(seen) ? "" : "not "}cut ${cut} of ${what}`)
  return Option.isSome(seen)
})

const killPostgres = Effect.fnUntraced(function* (
  context: FaultContext,
  { end, of }: Extract<Fault, { _tag: "KillPostgres" }>
) {
  const { operator, postgres } = context.environment
  yield* waitDuringLoad(context)
  const ending = endPostgres(postgres[of], end)
  const onServer = of === "main" ? ending : Effect.orDie(onNodeOf(secondNode.cell, ending))
  yield* Effect.provide(onServer, operator)
  context.log.add(`Postgres ${of}: ${end}`)
  yield* Effect.sleep("50 millis")
  yield* Effect.provide(untilPostgresAnswers, context.environment.operator)
  context.log.add("Postgres answers")
  return true
})

/**
 * Injects a fault and waits until every process is up again.
 *
 * @returns whether the fault happened as planned.
 */
export const injectFault = (context: FaultContext, fault: Fault): Effect.Effect<boolean> => {
  const [server = context.environment.servers[0]] = context.servers
  return Fault.$match(fault, {
    Kill: ({ point }): Effect.Effect<boolean> => killServer(context, server, point),
    KillRecovery: ({ point }) => killRecovery(context, point),
    KillClosing: ({ point }) => killClosing(context, point),
    PauseClosing: (wanted) => pauseClosing(context, wanted),
    Pause: (wanted) => pauseServer(context, server, wanted),
    KillBoth: () => killBothServers(context),
    KillPostgres: (wanted) => killPostgres(context, wanted),
    Cut: (wanted) => cutConnection(context, wanted),
    CloseCell: ({ cell }) => Effect.provide(closeAndOpenCell(context, cell), context.environment.operator),
    KillMove: ({ at }) => Effect.provide(killMove(context, at), context.environment.operator),
    Stall: ({ minutes }) => stallSuppliers(context, minutes)
  })
}
