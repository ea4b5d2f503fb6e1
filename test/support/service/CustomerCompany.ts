import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Redacted } from "effect"
import { nodeClients } from "../../../adapters/postgres/connection/Cell.ts"
import { mainNode } from "../../../adapters/postgres/connection/Nodes.ts"
import { instant, int8 } from "../../../adapters/postgres/connection/Sql.ts"
import { CellName } from "../../../core/domain/Cell.ts"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { owned_max } from "../../../core/domain/Money.ts"
import { type AccountSettings, Accounts } from "../../../core/ports/Accounts.ts"
import { Companies, type NewCompany } from "../../../core/ports/Companies.ts"
import { type NewToken, Tokens } from "../../../core/ports/Tokens.ts"
import { hashSecret } from "../../../core/workflows/Authenticate.ts"
import { as } from "./HttpCalls.ts"
import { secret } from "./InMemoryService.ts"

interface Wanted {
  readonly company?: Partial<NewCompany>
  readonly token?: Partial<NewToken>
  /** Limits of the account. By default the account has no limits. */
  readonly limits?: AccountSettings
  /** Cell of the company. The default is the open cell with the fewest companies. */
  readonly cell?: string
  /** Opening deposit in pesos. The default is 1000. */
  readonly money?: number
}

/** Creates a company with a deposit and a token. The default environment is development. */
export const customer = Effect.fnUntraced(function* ({ cell, company, limits, money = 1_000, token }: Wanted = {}) {
  const name = randomUUID().slice(0, 8)
  const at = yield* DateTime.now
  const companyId = yield* Companies.use((companies) =>
    companies.create(
      {
        legalName: `Colmado ${name}`,
        code: name,
        environment: "development",
        state: "activa",
        apiEnabled: true,
        insuranceEnabled: false,
        ...company
      },
      at,
      cell === undefined ? undefined : CellName.make(cell)
    )
  )
  if (limits !== undefined) yield* Accounts.use((accounts) => accounts.configure(companyId, limits, at))
  if (money > 0) yield* deposit(companyId, money, "apertura")
  return { companyId, ...(yield* newToken(companyId, token)) }
})

/**
 * A company that several tests use, because their requests change nothing. It has money, so that a request that is
 * accepted by mistake makes a sale.
 */
export class SharedCustomer extends Context.Service<SharedCustomer, Effect.Success<ReturnType<typeof customer>>>()(
  "test/SharedCustomer"
) {
  static readonly layer = Layer.effect(SharedCustomer, customer())
}

/** Deposits pesos as an operator, because the database role of a server may not deposit. */
export const deposit = Effect.fnUntraced(function* (companyId: CompanyId, pesos: number, reference: string) {
  const sql = yield* PgClient.PgClient
  const at = yield* DateTime.now
  const [place] = yield* sql<{ name: string; node: string }>`
    select c.name, c.node from directory.cell as c join directory.company as o on o.cell = c.name where o.id = ${int8(companyId)}`
  const { name, node } = place ?? { name: "cell", node: mainNode }
  const client = yield* Effect.flatMap(nodeClients(sql), (clientOn) => clientOn(node))
  yield* client`
    select recorded
    from ${client(node === mainNode ? "directory" : name)}.deposit(
      ${int8(companyId)}, ${int8(Math.round(pesos * 100))}, ${int8(owned_max)}, ${reference}, ${instant(at)}
    )`
})

/** Issues a token to a company and returns the headers that carry it. */
export const newToken = Effect.fnUntraced(function* (companyId: NewToken["companyId"], token: Partial<NewToken> = {}) {
  const apiKey = `k-${randomUUID().slice(0, 8)}`
  const given: NewToken = {
    companyId,
    name: "caja",
    apiKey,
    permissions: [],
    addresses: [],
    expiresAt: null,
    callsPerMinute: null,
    realLookups: false,
    ...token
  }
  const kept = yield* hashSecret(Redacted.make(secret))
  const tokenId = yield* Tokens.use((tokens) => DateTime.now.pipe(Effect.flatMap((at) => tokens.add(given, kept, at))))
  return { tokenId, apiKey, auth: as(apiKey) }
})
