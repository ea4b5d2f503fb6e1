import { ConfigProvider, Effect, Layer } from "effect"
import { Settings } from "../../../facade/settings/Settings.ts"

/** Choices that have variables of their own, each with all others that need some. */
const choices: ReadonlyArray<Readonly<Record<string, string>>> = [
  { PROVIDER: "dtone", INSURER: "http", SMS: "twilio" },
  { PROVIDER: "http", INSURER: "http", SMS: "http" }
]

const asked = (choice: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const names = new Set<string>()
    const provider = ConfigProvider.make((path) =>
      Effect.sync(() => {
        const name = path.join("_")
        names.add(name)
        const value = choice[name]
        return value === undefined ? undefined : ConfigProvider.makeValue(value)
      })
    )
    yield* Layer.build(Settings.layer).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, provider),
      Effect.scoped,
      Effect.ignore
    )
    return [...names]
  })

/** Every environment variable that Saldo reads. */
export const variables: Effect.Effect<ReadonlySet<string>> = Effect.map(
  Effect.forEach(choices, asked),
  (names) => new Set(names.flat())
)
