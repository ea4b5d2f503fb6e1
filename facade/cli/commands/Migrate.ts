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
    const words = names.length === 0 ? "was already up to date" : `now has ${names.join(", ")}`
    yield* print({ aplicadas: names }, `The schema in ${place} ${words}.`)
  })
).pipe(
  Command.withDescription(
    "Migrate the database schema to this version: completely or not at all. A server does the same at its start. Any number of servers and of these commands may run at the same time."
  ),
  Command.withShortDescription("Migrate the database schema to this version"),
  Command.withExamples([{ command: "saldo migrate", description: "Before a new version is deployed" }]),
  Command.provide(database)
)
