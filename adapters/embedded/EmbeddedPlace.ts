import { randomBytes, randomUUID } from "node:crypto"
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { Option, Schema } from "effect"
import { attempt, canReach, EmbeddedFailed, makeOwned, type SystemUser } from "./EmbeddedFiles.ts"

/**
 * The facts about an embedded Postgres that persist between starts. Only their owner can read the file that stores them.
 */
const SavedPlace = Schema.Struct({
  /** Directory of Postgres's files. Null if they are next to this file. */
  elsewhere: Schema.NullOr(Schema.NonEmptyString),
  port: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 })),
  // The password becomes part of a URL, so it has no characters that a URL must escape.
  password: Schema.String.check(Schema.isPattern(/^[\w-]+$/))
})
type SavedPlace = typeof SavedPlace.Type

const decodeSavedPlace = Schema.decodeUnknownOption(Schema.fromJsonString(SavedPlace))

/** Directory, port and password of an embedded Postgres. */
export interface Place {
  /** Contains the data, the log and, if needed, a copy of the programs. */
  readonly directory: string
  readonly port: number
  readonly password: string
}

/**
 * Returns the place of the embedded Postgres for a data directory. Creates the place at the first start.
 *
 * The place is inside the data directory, unless Postgres's user cannot reach that directory (for example the home
 * directory of root).
 *
 * @param freePort the port for a new place.
 */
export const findPlace = (dataDirectory: string, user: SystemUser | null, freePort: number): Place => {
  const home = resolve(dataDirectory)
  const advice = "give it to this user, or set DATA_DIR to a directory that can be written, or DATABASE_URL"
  attempt(() => makeHome(home, user), `cannot write in the data directory ${home}: ${advice}`)
  const file = savedPlaceFile(home)
  attempt(() => {
    // Looks for the data first and for the file afterwards. Every process writes the file before the data, so data without
    // a file means that the file was lost.
    const hasData = existsSync(join(home, "postgres", "data"))
    if (existsSync(file)) return
    // The existing data opens only with the password that the missing file contained.
    if (hasData) throw unusable(file, "missing")
    saveFirst(home, newPlace(home, user, freePort))
  }, `cannot write in the data directory ${home}: ${advice}`)
  const memory = readSavedPlace(file, advice)
  const directory = memory.elsewhere ?? join(home, "postgres")
  attempt(() => makeOwned(directory, user), `cannot make ${directory}: ${advice}`)
  return { directory, port: memory.port, password: memory.password }
}

/** Stores the server's new port. */
export const savePort = (dataDirectory: string, port: number): void => {
  const file = savedPlaceFile(resolve(dataDirectory))
  write(`${file}.new`, { ...readSavedPlace(file, "give it to this user"), port })
  renameSync(`${file}.new`, file)
}

const savedPlaceFile = (home: string): string => join(home, "postgres.json")

const makeHome = (home: string, user: SystemUser | null): void => {
  makeAll(home)
  // Sets the mode regardless of the umask: Postgres's user may pass through this directory but not list it.
  if (user !== null && readdirSync(home).length === 0) chmodSync(home, 0o711)
}

// Does not use `mkdir` with `recursive`, which loops forever on file systems that answer ENOENT, for example /proc.
const makeAll = (directory: string): void => {
  if (existsSync(directory)) return
  makeAll(dirname(directory))
  try {
    mkdirSync(directory)
  } catch (cause) {
    if (!existsSync(directory)) throw cause
  }
}

const newPlace = (home: string, user: SystemUser | null, port: number): SavedPlace => ({
  elsewhere: canReach(home, user) ? null : reachable(user),
  port,
  password: randomBytes(24).toString("base64url")
})

/**
 * Path of a new directory that the user can reach. The path is under /var/lib if possible, because the system may empty the
 * temporary directory at a restart.
 */
const reachable = (user: SystemUser | null): string => {
  const above = ["/var/lib", tmpdir()].find((directory) => existsSync(directory) && canReach(directory, user))
  if (above !== undefined) return join(above, `saldo-${randomUUID()}`)
  throw new EmbeddedFailed({
    message:
      "the user that runs Postgres can enter neither the data directory nor /var/lib: set DATA_DIR to a directory that it can enter"
  })
}

/**
 * Writes the file only if it does not exist. If several processes start at the same time, all use the file that the first
 * process wrote.
 */
const saveFirst = (home: string, memory: SavedPlace): void => {
  const aside = join(home, `postgres.json.${randomUUID()}`)
  write(aside, memory)
  try {
    linkSync(aside, savedPlaceFile(home))
  } catch (cause) {
    if (!existsSync(savedPlaceFile(home))) throw cause
  } finally {
    rmSync(aside)
  }
}

// Flushes the file to disk, because a power failure could otherwise leave an empty file.
const write = (file: string, memory: SavedPlace): void =>
  writeFileSync(file, `${JSON.stringify(memory)}\n`, { mode: 0o600, flush: true })

const readSavedPlace = (file: string, advice: string): SavedPlace => {
  const text = attempt(() => readFileSync(file, "utf8"), `cannot read ${file}: ${advice}`)
  const saved = Option.getOrNull(decodeSavedPlace(text))
  if (saved !== null) return saved
  throw unusable(file, "damaged")
}

const unusable = (file: string, how: "damaged" | "missing") =>
  new EmbeddedFailed({
    message: `${file} is ${how}: it must be one JSON object with elsewhere, port and the password of the data in this directory. Restore it from a backup of this directory, or set DATA_DIR to a new directory to start without that data`
  })
