import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Folder with the schema of this version of Saldo: tables, migrations, functions, roles, versions. */
export const SqlFolder = Context.Reference<URL>("saldo/adapters/postgres/SqlFolder", {
  defaultValue: () => new URL("../../../sql/", import.meta.url)
})

/** A file of a set. Its name is its path without the extension, such as `functions/settle`. */
export interface SqlFile {
  readonly name: string
  readonly body: string
  readonly digest: string
}

/** The files that make a part of the schema. */
export interface SqlFileSet {
  /** Files that run once, in order: the tables of an empty database, then the migrations `NNNN_name.sql`. */
  readonly once: ReadonlyArray<SqlFile>
  /** Files that run again whenever their text has changed. */
  readonly functions: ReadonlyArray<SqlFile>
  /** Grants. They run again whenever any file of the set has changed, so their digest is computed from all its files. */
  readonly roles: SqlFile
}

export interface SqlFiles {
  /** The files of the directory and the catalogue. Their names are schema-qualified in the text. */
  readonly directory: SqlFileSet
  /** The files of each cell. They run with the cell as the search path. */
  readonly cell: SqlFileSet
  /** The versions of the schema, oldest first. */
  readonly versions: ReadonlyArray<{ readonly version: number; readonly digest: string }>
  /** Digest of all files. */
  readonly digest: string
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const digestOf = ({ functions, once, roles }: SqlFileSet): string =>
  sha256([...once, ...functions, roles].map((file) => file.digest).join())

const versionsIn = (text: string): SqlFiles["versions"] =>
  text
    .split("\n")
    .filter((line) => /^\d/.test(line))
    .map((line) => {
      const [version, digest = ""] = line.split(" ")
      return { version: Number(version), digest }
    })

const fileOf = async (folder: URL, name: string): Promise<SqlFile> => {
  const body = await readFile(new URL(`${name}.sql`, folder), "utf8")
  return { name, body, digest: sha256(body) }
}

const namesIn = async (folder: URL) =>
  (await readdir(folder))
    .filter((name) => name.endsWith(".sql"))
    .map((name) => name.slice(0, -".sql".length))
    .sort()

/** The file with the grants of a set. The file first creates the roles. */
const rolesIn = async (folder: URL, root: URL): Promise<SqlFile> => {
  const [roles, grants] = await Promise.all([fileOf(root, "database_roles"), fileOf(folder, "roles")])
  return { ...grants, body: roles.body + grants.body, digest: sha256(roles.digest + grants.digest) }
}

const setOf = async (
  root: URL,
  folder: URL,
  tables: ReadonlyArray<string>,
  functions: Promise<ReadonlyArray<SqlFile>>
): Promise<SqlFileSet> => {
  const migrations = (await namesIn(folder)).filter((name) => /^\d{4}_/.test(name))
  const set = {
    once: await Promise.all([...tables, ...migrations].map((name) => fileOf(folder, name))),
    functions: await functions,
    roles: await rolesIn(folder, root)
  }
  return { ...set, roles: { ...set.roles, digest: digestOf(set) } }
}

const read = async (folder: URL): Promise<SqlFiles> => {
  const functionNames = await namesIn(new URL("functions/", folder))
  const [directory, cell] = await Promise.all([
    setOf(
      folder,
      folder,
      ["directory", "catalogue"],
      Promise.all(["funding", "move"].map((name) => fileOf(folder, name)))
    ),
    setOf(
      folder,
      new URL("cell/", folder),
      ["cell"],
      Promise.all(functionNames.map((name) => fileOf(folder, `functions/${name}`)))
    )
  ])
  const versions = versionsIn(await readFile(new URL("versions.txt", folder), "utf8"))
  return { directory, cell, versions, digest: sha256([directory, cell].map(digestOf).join()) }
}

/** The files of this version. */
export const sqlFiles = Effect.flatMap(SqlFolder, (folder) => Effect.promise(() => read(folder)))

/** Runs a file as one statement, because the driver sends only one statement at a time. */
export const run = ({ body }: SqlFile) =>
  SqlClient.SqlClient.use(
    (sql) => sql.unsafe(`do $migration$ begin execute $body$${body}$body$; end $migration$`).unprepared
  )

// Comments, quoted text and bodies of functions may have their own semicolons.
const pieces = /--[^\n]*|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|;/g

/** The statements of a file. */
export const statementsOf = ({ body }: SqlFile): ReadonlyArray<string> => {
  const ends = [...body.matchAll(pieces)].filter(([piece]) => piece === ";").map(({ index }) => index)
  return [0, ...ends.map((end) => end + 1)]
    .map((start, index) => body.slice(start, ends[index]))
    .filter((statement) => statement.replace(/--[^\n]*/g, "").trim() !== "")
}

/** Runs the statements of a file one by one. */
export const runStatements = (file: SqlFile) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.forEach(statementsOf(file), (statement) => sql.unsafe(statement).unprepared, { discard: true })
  )
