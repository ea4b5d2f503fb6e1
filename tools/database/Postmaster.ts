import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { EmbeddedPostgres } from "../../adapters/embedded/EmbeddedPostgres.ts"

const fileIn = (directory: string): string => join(directory, "data", "postmaster.pid")

const firstLine = (file: string): number => Number(readFileSync(file, "utf8").split("\n")[0])

/** The process id of the Postgres that has its files in the directory, null when it has stopped in order. */
export const postgresIn = (directory: string): number | null => {
  const file = fileIn(directory)
  return existsSync(file) ? firstLine(file) : null
}

/** The same, for a data directory that Postgres's user can reach. */
export const postgresOf = (dataDirectory: string): number | null => postgresIn(join(dataDirectory, "postgres"))

/** The process that all others of the embedded Postgres descend from. */
export const postmaster = EmbeddedPostgres.useSync(({ directory }) => firstLine(fileIn(directory)))
