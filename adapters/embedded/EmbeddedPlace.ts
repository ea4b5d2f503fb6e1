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
import { Schema } from "effect"
import { attempt, EmbeddedFailed } from "./EmbeddedFailed.ts"
import { canReach, makeOwned } from "./EmbeddedFiles.ts"
import type { SystemUser } from "./EmbeddedUser.ts"

/** What is remembered of an embedded Postgres from one start to the next. Its file is readable by the owner alone. */
const Memory = Schema.Struct({
  /** Where Postgres's own files are; null for beside this file. */
  elsewhere: Schema.NullOr(Schema.String),
  port: Schema.Int,
  password: Schema.String
})
type Memory = typeof Memory.Type

const decodeMemory = Schema.decodeUnknownSync(Schema.fromJsonString(Memory))

/** Where an embedded Postgres lives. */
export interface Place {
  /** The directory that holds its data, its log and, if need be, a copy of its programs. */
  readonly directory: string
  readonly port: number
  readonly password: string
}

/**
 * The place that belongs to a data directory; a new one is made where there is none.
 *
 * It is inside the data directory unless Postgres's user cannot reach that, as in the home of root.
 *
 * @param freePort tells a port for a new place.
 */
export const findPlace = (dataDirectory: string, user: SystemUser | null, freePort: number): Place => {
  const home = resolve(dataDirectory)
  const advice = "give it to this user, or set DATA_DIR to a directory that can be written, or DATABASE_URL"
  attempt(() => makeHome(home, user), `cannot write in the data directory ${home}: ${advice}`)
  const file = memoryFile(home)
  attempt(() => {
    if (!existsSync(file)) rememberFirst(home, newMemory(home, user, freePort))
  }, `cannot write in the data directory ${home}: ${advice}`)
  const memory = attempt(() => recall(file), `cannot read ${file}: ${advice}`)
  const directory = memory.elsewhere ?? join(home, "postgres")
  attempt(() => makeOwned(directory, user), `cannot make ${directory}: ${advice}`)
  return { directory, port: memory.port, password: memory.password }
}

/** Remembers that the server now listens on another port. */
export const rememberPort = (dataDirectory: string, port: number): void => {
  const file = memoryFile(resolve(dataDirectory))
  write(`${file}.new`, { ...recall(file), port })
  renameSync(`${file}.new`, file)
}

const memoryFile = (home: string): string => join(home, "postgres.json")

const makeHome = (home: string, user: SystemUser | null): void => {
  makeAll(home)
  // Whatever the umask: another user who is to run Postgres passes through, and reads nothing on the way.
  if (user !== null && readdirSync(home).length === 0) chmodSync(home, 0o711)
}

// Not mkdir's own recursion, which never ends in a file system that refuses with ENOENT, as /proc does.
const makeAll = (directory: string): void => {
  if (existsSync(directory)) return
  makeAll(dirname(directory))
  try {
    mkdirSync(directory)
  } catch (cause) {
    if (!existsSync(directory)) throw cause
  }
}

const newMemory = (home: string, user: SystemUser | null, port: number): Memory => ({
  elsewhere: canReach(home, user) ? null : reachable(user),
  port,
  password: randomBytes(24).toString("base64url")
})

/** A directory of its own, which survives a restart of the machine if the machine has a place for that. */
const reachable = (user: SystemUser | null): string => {
  const above = ["/var/lib", tmpdir()].find((directory) => existsSync(directory) && canReach(directory, user))
  if (above !== undefined) return join(above, `saldo-${randomUUID()}`)
  throw new EmbeddedFailed({
    message: "Postgres's user can reach neither the data directory nor /var/lib: set DATA_DIR to one that it can enter"
  })
}

/** Of several processes that start at once, the first one's memory counts. */
const rememberFirst = (home: string, memory: Memory): void => {
  const aside = join(home, `postgres.json.${randomUUID()}`)
  write(aside, memory)
  try {
    linkSync(aside, memoryFile(home))
  } catch (cause) {
    if (!existsSync(memoryFile(home))) throw cause
  } finally {
    rmSync(aside)
  }
}

const write = (file: string, memory: Memory): void =>
  writeFileSync(file, `${JSON.stringify(memory)}\n`, { mode: 0o600 })

const recall = (file: string): Memory => decodeMemory(readFileSync(file, "utf8"))
