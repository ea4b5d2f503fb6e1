import { Config, Effect, FileSystem, Option, Path, Result, Schema } from "effect"

/**
 * The file with the sessions of `saldo login`: a token for each database. Only the system login that wrote it may read
 * it.
 */
const Sessions = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))

const read = Schema.decodeUnknownResult(Sessions)
const write = Schema.encodeSync(Sessions)

const directory = Effect.gen(function* () {
  const paths = yield* Path.Path
  const [configured, home] = [
    yield* Config.option(Config.String("XDG_CONFIG_HOME")),
    yield* Config.option(Config.String("HOME"))
  ]
  const base = Option.orElse(
    Option.filter(configured, (path) => paths.isAbsolute(path)),
    () => Option.map(home, (path) => paths.join(path, ".config"))
  )
  return Option.map(base, (path) => paths.join(path, "saldo"))
}).pipe(Effect.orDie)

const file = Effect.gen(function* () {
  const paths = yield* Path.Path
  return Option.map(yield* directory, (folder) => paths.join(folder, "sessions.json"))
})

/** All sessions. None if the file is missing or unreadable. */
const sessions = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* file
  if (Option.isNone(path)) return {}
  const text = yield* Effect.option(files.readFileString(path.value))
  return Option.isNone(text) ? {} : Result.getOrElse(read(text.value), () => ({}))
})

/** The token of the session for a database. Null if there is none. */
export const sessionFor = (place: string) =>
  Effect.map(sessions, (all: Readonly<Record<string, string>>) =>
    Object.hasOwn(all, place) ? (all[place] ?? null) : null
  )

/** Stores the session for a database, or removes it if the token is null. */
export const keepSessionFor = Effect.fnUntraced(function* (place: string, token: string | null) {
  const files = yield* FileSystem.FileSystem
  const [folder, path] = [yield* directory, yield* file]
  if (Option.isNone(folder) || Option.isNone(path)) return yield* Effect.die(new Error("HOME is not set"))
  const others = Object.entries(yield* sessions).filter(([name]) => name !== place)
  const all = Object.fromEntries(token === null ? others : [...others, [place, token]])
  yield* files.makeDirectory(folder.value, { recursive: true, mode: 0o700 })
  // Writes a new file that replaces the old one, so that the token is never in a file that others may read.
  const temporary = `${path.value}.${process.pid}`
  yield* files.writeFileString(temporary, write(all), { mode: 0o600 })
  yield* files.rename(temporary, path.value)
})
