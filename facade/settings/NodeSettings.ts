import { ConfigProvider, Effect, Redacted, Schema } from "effect"
import { mainNode, nodeVariable } from "../../adapters/postgres/connection/Nodes.ts"
import { NodeName } from "../../core/domain/Cell.ts"
import { databaseAddress, readAll, variable, WrongVariable } from "./Variable.ts"

/** The addresses of a Postgres server that has cells. */
export interface NodeAddress {
  readonly url: Redacted.Redacted
  /** The address with the login that changes the schema. Null if `url` has that login. */
  readonly migrationUrl: Redacted.Redacted | null
}

const isNodeName = Schema.is(NodeName)

// Effect's ConfigProvider splits the names of variables at underscores, so CELL_NODE_ESTE_URL is found below CELL and NODE.
const namesInEnvironment = Effect.gen(function* () {
  const provider = yield* ConfigProvider.ConfigProvider
  const found = yield* Effect.orDie(provider.load(["CELL", "NODE"]))
  return found?._tag === "Record" ? [...found.keys].map((name) => name.toLowerCase()).sort() : []
})

/** Name of the variable that has a node's address with the login for migrations. */
export const nodeMigrationVariable = (node: string): string => `CELL_NODE_${node.toUpperCase()}_MIGRATION_URL`

const addressOf = Effect.fnUntraced(function* (name: string) {
  if (!isNodeName(name) || name === mainNode) {
    const message = `${nodeVariable(name)} does not name a node; the name must have up to 31 letters and digits, begin with a letter, and not be ${mainNode}`
    return yield* new WrongVariable({ message })
  }
  const { migrationUrl, url } = yield* readAll({
    url: variable(nodeVariable(name), databaseAddress),
    migrationUrl: variable(nodeMigrationVariable(name), databaseAddress)
  })
  if (url === null) return []
  const address: NodeAddress = {
    url: Redacted.make(url),
    migrationUrl: migrationUrl === null ? null : Redacted.make(migrationUrl)
  }
  return [[name, address] as const]
})

/** The nodes other than main, by name, from the variables CELL_NODE_<NAME>_URL and CELL_NODE_<NAME>_MIGRATION_URL. */
export const cellNodes = Effect.map(
  Effect.flatMap(namesInEnvironment, (names) => Effect.forEach(names, addressOf)),
  (nodes): ReadonlyMap<string, NodeAddress> => new Map(nodes.flat())
)
