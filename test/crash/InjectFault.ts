import { Duration, Effect, Option, Schedule } from "effect"
import type { SeededRandom } from "../support/SeededRandom.ts"
import type { ClientLoad } from "./Clients.ts"
import type { CrashEnvironment, RoundLog } from "./environment/Environment.ts"
import { endPostgres, untilPostgresAnswers } from "./environment/Postgres.ts"
import { passMinutes } from "./environment/RunTime.ts"
import type { Server } from "./environment/ServersAndSuppliers.ts"
import { Fault, moneyStatements } from "./Faults.ts"
import type { CrashPoint, PlannedSignal } from "./processes/CrashPoints.ts"

/** Recovery gets to a point within so many times that it is due, if there is anything to get to it with. */
const dues_max = 20

/** It asks about what is due within this, unless nobody is alive who asks. */
const recovery_max = Duration.millis(250)

/** A mishap happens after so many of the clients' wishes, or fewer, and not later than this. */
const wishes_max = 30
const start_max = "400 millis"

/** What has not happened within this does not. */
const fault_max = Duration.seconds(30)

/** What a mishap happens to, and who writes it down. */
export interface FaultContext {
  readonly stage: CrashEnvironment["Service"]
  readonly load: ClientLoad
  readonly chance: SeededRandom
  readonly story: RoundLog
  /** The servers that this mishap may have. */
  readonly servers: ReadonlyArray<Server>
  /** Which points were reached. */
  readonly reached: Set<CrashPoint>
}

const sleepBetween = (chance: SeededRandom, from_ms: number, to_ms: number) =>
  Effect.sleep(Duration.millis(chance.between(from_ms, to_ms)))

/** Some time while clients buy. */
const waitDuringLoad = ({ chance, load }: FaultContext) =>
  Effect.asVoid(Effect.timeoutOption(load.progress(chance.between(1, wishes_max)), start_max))

/** What happens before the clients are done, if it does. */
const beforeLoadEnds = <A>({ load }: FaultContext, happens: Effect.Effect<A>) =>
  Effect.raceFirst(Effect.asSome(happens), Effect.as(load.over, Option.none<A>())).pipe(
    Effect.timeoutOrElse({ duration: fault_max, orElse: () => Effect.succeed(Option.none<A>()) })
  )

const reviveAfterDeath = Effect.fnUntraced(function* ({ chance, story }: FaultContext, server: Server) {
  yield* Effect.repeat(Effect.sync(server.isDead), { until: (dead) => dead, schedule: Schedule.spaced("5 millis") })
  yield* sleepBetween(chance, 0, 150)
  yield* server.revive
  story.tell(`${server.name} takes calls again`)
})

/**
 * Lets a server meet its fate; where it never comes to the point, it meets it in the end. Answers whether it comes
 * there.
 */
const armKillPoint = Effect.fnUntraced(function* (scene: FaultContext, server: Server, fate: PlannedSignal) {
  const { reached, story } = scene
  yield* server.meet(fate)
  const seen = yield* beforeLoadEnds(scene, server.reached(fate.point))
  if (Option.isSome(seen)) {
    reached.add(fate.point)
    story.tell(`${server.name} gets ${fate.signal} ${fate.point}`)
  } else {
    yield* server.meet(null)
    yield* server.signal(fate.signal)
    story.tell(`${server.name} gets ${fate.signal}, and was not ${fate.point}`)
  }
  return Option.isSome(seen)
})

const pauseServer = Effect.fnUntraced(function* (
  scene: FaultContext,
  server: Server,
  { minutes, point }: { minutes: number; point: CrashPoint }
) {
  const happens = yield* armKillPoint(scene, server, { point, visit: scene.chance.between(1, 3), signal: "SIGSTOP" })
  yield* Effect.provide(passMinutes(scene.stage.time, minutes), scene.stage.operator)
  yield* server.signal("SIGCONT")
  scene.story.tell(`${server.name} goes on, ${minutes} minutes later`)
  return happens
})

const killServer = Effect.fnUntraced(function* (scene: FaultContext, server: Server, point: CrashPoint) {
  const happens = yield* armKillPoint(scene, server, { point, visit: scene.chance.between(1, 3), signal: "SIGKILL" })
  yield* reviveAfterDeath(scene, server)
  return happens
})

/** Both are told, because nobody knows who claims what is due; one dies. */
const killRecovery = Effect.fnUntraced(function* (scene: FaultContext, point: CrashPoint) {
  const { reached, servers, stage, story } = scene
  // There has to be something to recover.
  yield* waitDuringLoad(scene)
  const fate: PlannedSignal = { point, visit: 1, signal: "SIGKILL" }
  yield* Effect.forEach(servers, ({ meet }) => meet(fate))
  const first = Effect.raceAllFirst(servers.map((server) => Effect.as(server.reached(point), server)))
  const due = Effect.andThen(stage.time.jump("61 seconds"), Effect.sleep(recovery_max))
  const seen = yield* Effect.raceFirst(
    Effect.asSome(first),
    Effect.as(Effect.repeat(due, { times: dues_max }), Option.none<Server>())
  )
  yield* Effect.forEach(servers, ({ meet }) => meet(null))
  if (Option.isNone(seen)) {
    story.tell(`no server was ${point}`)
    return false
  }
  reached.add(point)
  story.tell(`${seen.value.name} gets SIGKILL ${point}`)
  // The other one may have been as fast.
  yield* reviveAfterDeath(scene, seen.value)
  yield* Effect.forEach(servers, ({ revive }) => revive)
  return true
})

const killBothServers = Effect.fnUntraced(function* (scene: FaultContext) {
  yield* waitDuringLoad(scene)
  yield* Effect.forEach(scene.servers, ({ signal }) => signal("SIGKILL"))
  scene.story.tell("both servers get SIGKILL")
  yield* Effect.forEach(scene.servers, (server) => reviveAfterDeath(scene, server), { concurrency: "unbounded" })
  return true
})

const stallSuppliers = Effect.fnUntraced(function* (scene: FaultContext, minutes: number) {
  const {
    chance,
    stage: { suppliers, time },
    story
  } = scene
  yield* waitDuringLoad(scene)
  yield* suppliers.signal("SIGSTOP")
  story.tell("the suppliers stand still")
  yield* sleepBetween(chance, 100, 200)
  yield* time.jump(Duration.minutes(minutes))
  yield* suppliers.signal("SIGCONT")
  story.tell(`the suppliers go on, ${minutes} minutes later`)
  return true
})

const cutConnection = Effect.fnUntraced(function* (
  scene: FaultContext,
  { cut, what }: Extract<Fault, { _tag: "Cut" }>
) {
  const { proxy } = scene.stage
  yield* waitDuringLoad(scene)
  const before = proxy.cuts()
  proxy.arm(cut, moneyStatements[what])
  const happens = Effect.repeat(Effect.sync(proxy.cuts), {
    until: (cuts) => cuts > before,
    schedule: Schedule.spaced("10 millis")
  })
  const seen = yield* beforeLoadEnds(scene, happens)
  scene.story.tell(`the connection was ${Option.isSome(seen) ? "" : "not "}cut ${cut} of ${what}`)
  return Option.isSome(seen)
})

const killPostgres = Effect.fnUntraced(function* (
  scene: FaultContext,
  { end }: Extract<Fault, { _tag: "KillPostgres" }>
) {
  yield* waitDuringLoad(scene)
  yield* Effect.provide(endPostgres(scene.stage.postgres, end), scene.stage.operator)
  scene.story.tell(`Postgres: ${end}`)
  yield* Effect.sleep("50 millis")
  yield* Effect.provide(untilPostgresAnswers, scene.stage.operator)
  scene.story.tell("Postgres answers")
  return true
})

/**
 * Lets a mishap happen, from its beginning to the moment when everything that was down is up.
 *
 * @returns whether it happened as it was dealt.
 */
export const injectFault = (scene: FaultContext, mishap: Fault): Effect.Effect<boolean> => {
  const [server = scene.stage.servers[0]] = scene.servers
  return Fault.$match(mishap, {
    Kill: ({ point }): Effect.Effect<boolean> => killServer(scene, server, point),
    KillRecovery: ({ point }) => killRecovery(scene, point),
    Pause: (wanted) => pauseServer(scene, server, wanted),
    KillBoth: () => killBothServers(scene),
    KillPostgres: (wanted) => killPostgres(scene, wanted),
    Cut: (wanted) => cutConnection(scene, wanted),
    Stall: ({ minutes }) => stallSuppliers(scene, minutes)
  })
}
