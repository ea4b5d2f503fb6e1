import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Folder with the schema of this version of Saldo: tables, migrations, functions, roles, versions. */
export const SqlFolder = Context.Reference<URL>("saldo/adapters/postgres/SqlFolder", {
  defaultValue: () => new URL("../../../sql/", import.meta.url)
})

/** A file of the folder. Its name is its path without the extension, such as `functions/settle`. */
export interface SqlFile {
  readonly name: string
  readonly body: string
  readonly digest: string
}

export interface SqlFiles {
  /** Files that run once in a database, in order: the tables of an empty one, then the migrations `NNNN_name.sql`. */
  readonly once: ReadonlyArray<SqlFile>
  /** Files that run again whenever their text has changed. */
  readonly functions: ReadonlyArray<SqlFile>
  /** Grants. They run again whenever any file has changed, so their digest is computed from all files. */
  readonly roles: SqlFile
  /** The versions of the schema, oldest first. */
  readonly versions: ReadonlyArray<{ readonly version: number; readonly digest: string }>
}

const tables = ["directory", "catalogue", "cell"]

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const versionsIn = (text: string): SqlFiles["versions"] =>
  text
    .split("\n")
    .filter((line) => /^\d/.test(line))
    .map((line) => {
      const [version, digest = ""] = line.split(" ")
      return { version: Number(version), digest }
    })

const read = async (folder: URL): Promise<SqlFiles> => {
  const fileOf = async (name: string): Promise<SqlFile> => {
    const body = await readFile(new URL(`${name}.sql`, folder), "utf8")
    return { name, body, digest: sha256(body) }
  }
  const namesIn = async (path: string) =>
    (await readdir(new URL(path, folder)))
      .filter((name) => name.endsWith(".sql"))
      .map((name) => `${path}${name.slice(0, -".sql".length)}`)
      .sort()
  const migrations = (await namesIn("")).filter((name) => /^\d{4}_/.test(name))
  const once = await Promise.all([...tables, ...migrations].map(fileOf))
  const functions = await Promise.all((await namesIn("functions/")).map(fileOf))
  const roles = await fileOf("roles")
  const digest = sha256([...once, ...functions, roles].map((file) => file.digest).join())
  const versions = versionsIn(await readFile(new URL("versions.txt", folder), "utf8"))
  return { once, functions, roles: { ...roles, digest }, versions }
}

/** The files of this version. */
export const sqlFiles = Effect.flatMap(SqlFolder, (folder) => Effect.promise(() => read(folder)))

/** Runs a file as one statement, because the driver sends only one statement at a time. */
export const run = ({ body }: SqlFile) =>
  SqlClient.SqlClient.use(
    (sql) => sql.unsafe(`do $migration$ begin execute $body$${body}$body$; end $migration$`).unprepared
  )
