import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { basename } from "node:path"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The folder with this version's schema: migrations, functions, roles and the list of versions. */
export const SqlFolder = Context.Reference<URL>("saldo/adapters/postgres/SqlFolder", {
  defaultValue: () => new URL("../../../sql/", import.meta.url)
})

const inFolder = (path: string) => Effect.map(SqlFolder, (folder) => new URL(path, folder))

export interface SqlFile {
  readonly name: string
  readonly body: string
}

const fileOf = async (file: URL): Promise<SqlFile> => ({
  name: basename(file.pathname, ".sql"),
  body: await readFile(file, "utf8")
})

const filesOf = (folder: URL): Effect.Effect<ReadonlyArray<SqlFile>> =>
  Effect.promise(async () => {
    const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort()
    return Promise.all(names.map((name) => fileOf(new URL(name, folder))))
  })

const tables = Effect.flatMap(SqlFolder, filesOf)

/** The function files. Each may be run any number of times. */
export const functions = Effect.flatMap(inFolder("functions/"), filesOf)

/** The roles and their grants. */
export const roles = Effect.flatMap(inFolder("roles.sql"), (file) => Effect.promise(() => fileOf(file)))

/** Migration files, named `NNNN_name.sql`. Each is run once. */
export const numbered = Effect.map(tables, (files) =>
  files
    .filter(({ name }) => /^\d{4}_/.test(name))
    .map((file) => ({ ...file, id: Number.parseInt(file.name, 10), title: file.name.slice(5) }))
)

/** The known schema versions with their digests, oldest first. Each number is one higher than the last. */
export const knownVersions = Effect.gen(function* () {
  const file = yield* inFolder("versions.txt")
  const lines = (yield* Effect.promise(() => readFile(file, "utf8"))).split("\n").filter((line) => /^\d/.test(line))
  return lines.map((line) => {
    const [version, digest = ""] = line.split(" ")
    return { version: Number(version), digest }
  })
})

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

export const digestOf = ({ body }: SqlFile): string => sha256(body)

/** Digest of the whole schema. */
export const digestOfAll = Effect.gen(function* () {
  const all = [...(yield* tables), ...(yield* functions)]
  return sha256(all.map(digestOf).join())
})

/** Runs a file as the body of one statement, because the driver sends one statement at a time. */
export const run = ({ body }: SqlFile) =>
  SqlClient.SqlClient.pipe(
    Effect.flatMap((sql) => sql.unsafe(`do $migration$ begin execute $body$${body}$body$; end $migration$`).unprepared)
  )
