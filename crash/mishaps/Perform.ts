import { Duration, Effect, Option, Schedule } from "effect"
import type { Chance } from "../../tools/Chance.ts"
import type { Load } from "../load/Clients.ts"
import type { Fate, Point } from "../server/Points.ts"
import { answering, endPostgres } from "../stage/Postgres.ts"
import { passMinutes } from "../stage/Rest.ts"
import type { Server } from "../stage/Server.ts"
import type { Stage } from "../stage/Stage.ts"
import type { Story } from "../stage/Story.ts"
import { Mishap, statements } from "./Mishap.ts"

/** Recovery gets to a point within so many times that it is due, if there is anything to get to it with. */
const dues_max = 20

/** It asks about what is due within this, unless nobody is alive who asks. */
const recovery_max = Duration.millis(250)

/** A mishap happens after so many of the clients' wishes, or fewer, and not later than this. */
const wishes_max = 30
const latest = "400 millis"

/** What has not happened within this does not. */
const patience = Duration.seconds(30)

/** What a mishap happens to, and who writes it down. */
export interface Scene {
  readonly stage: Stage["Service"]
  readonly load: Load
  readonly chance: Chance
  readonly story: Story
  /** The servers that this mishap may have. */
  readonly servers: ReadonlyArray<Server>
  /** Which points were reached. */
  readonly reached: Set<Point>
}

const waits = (chance: Chance, from_ms: number, to_ms: number) =>
  Effect.sleep(Duration.millis(chance.between(from_ms, to_ms)))

/** Some time while clients buy. */
const someTime = ({ chance, load }: Scene) =>
  Effect.asVoid(Effect.timeoutOption(load.progress(chance.between(1, wishes_max)), latest))

/** What happens before the clients are done, if it does. */
const whileTheyBuy = <A>({ load }: Scene, happens: Effect.Effect<A>) =>
  Effect.raceFirst(Effect.asSome(happens), Effect.as(load.over, Option.none<A>())).pipe(
    Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed(Option.none<A>()) })
  )

const dies = Effect.fnUntraced(function* ({ chance, story }: Scene, server: Server) {
  yield* Effect.repeat(Effect.sync(server.isDead), { until: (dead) => dead, schedule: Schedule.spaced("5 millis") })
  yield* waits(chance, 0, 150)
  yield* server.revive
  story.tell(`${server.name} takes calls again`)
})

/**
 * Lets a server meet its fate; where it never comes to the point, it meets it in the end. Answers whether it comes
 * there.
 */
const meets = Effect.fnUntraced(function* (scene: Scene, server: Server, fate: Fate) {
  const { reached, story } = scene
  yield* server.meet(fate)
  const seen = yield* whileTheyBuy(scene, server.reached(fate.point))
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

const pause = Effect.fnUntraced(function* (
  scene: Scene,
  server: Server,
  { minutes, point }: { minutes: number; point: Point }
) {
  const happens = yield* meets(scene, server, { point, visit: scene.chance.between(1, 3), signal: "SIGSTOP" })
  yield* Effect.provide(passMinutes(scene.stage.time, minutes), scene.stage.operator)
  yield* server.signal("SIGCONT")
  scene.story.tell(`${server.name} goes on, ${minutes} minutes later`)
  return happens
})

const killOne = Effect.fnUntraced(function* (scene: Scene, server: Server, point: Point) {
  const happens = yield* meets(scene, server, { point, visit: scene.chance.between(1, 3), signal: "SIGKILL" })
  yield* dies(scene, server)
  return happens
})

/** Both are told, because nobody knows who claims what is due; one dies. */
const killRecovery = Effect.fnUntraced(function* (scene: Scene, point: Point) {
  const { reached, servers, stage, story } = scene
  // There has to be something to recover.
  yield* someTime(scene)
  const fate: Fate = { point, visit: 1, signal: "SIGKILL" }
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
  yield* dies(scene, seen.value)
  yield* Effect.forEach(servers, ({ revive }) => revive)
  return true
})

const killBoth = Effect.fnUntraced(function* (scene: Scene) {
  yield* someTime(scene)
  yield* Effect.forEach(scene.servers, ({ signal }) => signal("SIGKILL"))
  scene.story.tell("both servers get SIGKILL")
  yield* Effect.forEach(scene.servers, (server) => dies(scene, server), { concurrency: "unbounded" })
  return true
})

const stall = Effect.fnUntraced(function* (scene: Scene, minutes: number) {
  const {
    chance,
    stage: { suppliers, time },
    story
  } = scene
  yield* someTime(scene)
  yield* suppliers.signal("SIGSTOP")
  story.tell("the suppliers stand still")
  yield* waits(chance, 100, 200)
  yield* time.jump(Duration.minutes(minutes))
  yield* suppliers.signal("SIGCONT")
  story.tell(`the suppliers go on, ${minutes} minutes later`)
  return true
})

const cut = Effect.fnUntraced(function* (scene: Scene, { cut, what }: Extract<Mishap, { _tag: "Cut" }>) {
  const { proxy } = scene.stage
  yield* someTime(scene)
  const before = proxy.cuts()
  proxy.arm(cut, statements[what])
  const happens = Effect.repeat(Effect.sync(proxy.cuts), {
    until: (cuts) => cuts > before,
    schedule: Schedule.spaced("10 millis")
  })
  const seen = yield* whileTheyBuy(scene, happens)
  scene.story.tell(`the connection was ${Option.isSome(seen) ? "" : "not "}cut ${cut} of ${what}`)
  return Option.isSome(seen)
})

const killPostgres = Effect.fnUntraced(function* (scene: Scene, { end }: Extract<Mishap, { _tag: "KillPostgres" }>) {
  yield* someTime(scene)
  yield* Effect.provide(endPostgres(scene.stage.postgres, end), scene.stage.operator)
  scene.story.tell(`Postgres: ${end}`)
  yield* Effect.sleep("50 millis")
  yield* Effect.provide(answering, scene.stage.operator)
  scene.story.tell("Postgres answers")
  return true
})

/**
 * Lets a mishap happen, from its beginning to the moment when everything that was down is up.
 *
 * @returns whether it happened as it was dealt.
 */
export const perform = (scene: Scene, mishap: Mishap): Effect.Effect<boolean> => {
  const [server = scene.stage.servers[0]] = scene.servers
  return Mishap.$match(mishap, {
    Kill: ({ point }): Effect.Effect<boolean> => killOne(scene, server, point),
    KillRecovery: ({ point }) => killRecovery(scene, point),
    Pause: (wanted) => pause(scene, server, wanted),
    KillBoth: () => killBoth(scene),
    KillPostgres: (wanted) => killPostgres(scene, wanted),
    Cut: (wanted) => cut(scene, wanted),
    Stall: ({ minutes }) => stall(scene, minutes)
  })
}
