import { Effect } from "effect"
import { CurrentTransformer } from "effect/sql/Statement"

/** A node of an executed plan, as EXPLAIN prints it. */
interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly "Shared Hit Blocks": number
  readonly "Shared Read Blocks": number
  readonly Plans?: ReadonlyArray<Node>
}

/** A scan of a table or index in an executed plan. */
export interface Scan {
  readonly kind: string
  readonly of: string
  /** Rows read, including rows that were then filtered out. */
  readonly rows: number
  /** Pages read, including pages that contain only dead rows. */
  readonly pages: number
}

const scansOf = (node: Node): ReadonlyArray<Scan> => {
  const { "Index Name": index, "Relation Name": relation } = node
  const read =
    node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0)
  const rows = Math.round(read * node["Actual Loops"])
  const pages = node["Shared Hit Blocks"] + node["Shared Read Blocks"]
  const own =
    relation === undefined && index === undefined
      ? []
      : [{ kind: node["Node Type"], of: relation ?? index ?? "", rows, pages }]
  return [...own, ...(node.Plans ?? []).flatMap(scansOf)]
}

/** Runs a read and returns the scans of all its statements, from EXPLAIN ANALYZE. */
export const scansOfStatements = Effect.fnUntraced(function* <A, E, R>(reading: Effect.Effect<A, E, R>) {
  const scans: Array<Scan> = []
  yield* Effect.provideService(reading, CurrentTransformer, (statement, sql) => {
    const [text, parameters] = statement.compile()
    return sql
      .unsafe<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Node }> }>(
        `explain (analyze, buffers, format json) ${text}`,
        parameters
      )
      .pipe(
        Effect.tap((rows) =>
          Effect.sync(() =>
            scans.push(...rows.flatMap((row) => row["QUERY PLAN"].flatMap(({ Plan }) => scansOf(Plan))))
          )
        ),
        Effect.provideService(CurrentTransformer, undefined),
        Effect.orDie,
        Effect.as(statement)
      )
  })
  return scans
})
