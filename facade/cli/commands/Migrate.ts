import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { migrate as bringUp } from "../../../adapters/postgres/schema/Migrations.ts"
import { baseLayer } from "../../AppLayer.ts"
import { DatabaseServer, ownerConnection } from "../../settings/DatabaseServer.ts"
import { print } from "../terminal/Output.ts"

const database = ownerConnection.pipe(Layer.provideMerge(DatabaseServer.layer), Layer.provideMerge(baseLayer))

export const migrate = Command.make("migrate", {}, () =>
  Effect.gen(function* () {
    const { place } = yield* DatabaseServer
    const names = yield* bringUp
    const words = names.length === 0 ? "was up to date" : `has now ${names.join(", ")}`
    yield* print({ aplicadas: names }, `The schema in ${place} ${words}.`)
  })
).pipe(
  Command.withDescription(
    "Bring the database's schema up to this version, all of it or nothing. The server does so by itself when it starts; any number of both may run at once."
  ),
  Command.withShortDescription("Bring the database's schema up to this version"),
  Command.withExamples([{ command: "saldo migrate", description: "Before the new version is rolled out" }]),
  Command.provide(database)
)
