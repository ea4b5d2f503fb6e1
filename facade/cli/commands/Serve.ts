import { Effect, Layer } from "effect"
import { Command } from "effect/cli"

// What serves is half of all modules: other commands begin sooner without them.
const serving = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("./Serving.ts")),
    (serves) => serves.serving
  )
)

export const serve = Command.make("serve", {}, () => Layer.launch(serving)).pipe(
  Command.withDescription(
    "Serve the API. Without DATABASE_URL an embedded Postgres is started, with its data in DATA_DIR. Migrates and seeds first, says how to sell, and goes on until it is told to stop (Ctrl-C, SIGTERM); then it waits for the sales under way."
  ),
  Command.withShortDescription("Serve the API"),
  Command.withExamples([{ command: "PORT=8080 saldo serve", description: "At another port" }])
)
