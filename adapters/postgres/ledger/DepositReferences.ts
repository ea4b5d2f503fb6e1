import { Effect } from "effect"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { CellFilter } from "../../../core/ports/CellFilter.ts"
import { CellName, cellClient, DirectoryClient, directoryClient, everyCell } from "../connection/Cell.ts"
import { mainNode } from "../connection/Nodes.ts"
import { int8 } from "../connection/Sql.ts"

/** The facts about a deposit that the check of its reference needs. */
interface Referenced {
  readonly companyId: CompanyId
  readonly reference: string
  /** Whether the reference must be new over all companies. */
  readonly isNew: boolean
}

/**
 * Keeps the reference of a deposit unique over the cells of several nodes. Among the cells of the node main, the functions
 * of sql/funding.sql do this. For cells on other nodes, a transaction of the directory holds the lock of the reference
 * until the cell has committed.
 */
export const depositReferences = Effect.gen(function* () {
  const directory = yield* directoryClient
  const isElsewhere = (yield* DirectoryClient) !== null
  const sql = yield* cellClient
  const own = yield* CellName
  const readCells = yield* everyCell

  /** Another company that has used the reference, in a cell that the statement of the deposit does not search. */
  const otherCompany = Effect.fnUntraced(function* ({ companyId, reference }: Referenced) {
    const recorded = yield* sql`select from ${sql.cell}.recorded_deposit(${int8(companyId)}, ${reference})`
    if (recorded.length > 0) return null
    for (const cell of yield* Effect.provideService(readCells, CellFilter, null)) {
      if (cell.name === own || (!isElsewhere && cell.node === mainNode)) continue
      const [row] = yield* cell.sql<{ company: bigint | null }>`
        select ${cell.sql.cell}.deposit_elsewhere(${int8(companyId)}, ${reference}) as company`
      if (row !== undefined && row.company !== null) return CompanyId.make(Number(row.company))
    }
    return null
  })

  /**
   * Runs the write of a deposit, unless another company has used the reference.
   *
   * @param used the result if another company has used the reference.
   */
  const unlessUsed = <A, E, R>(deposit: Referenced, write: Effect.Effect<A, E, R>, used: (other: CompanyId) => A) =>
    Effect.gen(function* () {
      const places = yield* directory<{ name: string; node: string }>`
        select name, node from directory.cell order by ordinal`
      const onMain = places.find(({ node }) => node === mainNode)
      const hasNodes = places.some(({ node }) => node !== mainNode)
      if (onMain === undefined || !(isElsewhere || (hasNodes && deposit.isNew))) return yield* write
      return yield* directory.withTransaction(
        Effect.gen(function* () {
          // The same lock as in the functions of sql/funding.sql. Deposits with this reference wait here, whichever
          // cell they belong to.
          yield* directory`
            select pg_advisory_xact_lock(7249016, hashtext(${directory(onMain.name)}.folded_text(${deposit.reference})))`
          const other = deposit.isNew ? yield* otherCompany(deposit) : null
          return other === null ? yield* write : used(other)
        })
      )
    })

  return {
    /** The schema with the functions that change a balance by hand. In a cell on another node only operators may call them. */
    schema: isElsewhere ? sql.cell : sql.literal("directory"),
    unlessUsed
  }
})
