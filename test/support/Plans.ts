import { Effect } from "effect"
import { CurrentTransformer } from "effect/sql/Statement"

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

/** A look into a table or an index, as it went. */
export interface Scan {
  readonly kind: string
  readonly of: string
  /** All that it read, also what it then threw away. */
  readonly rows: number
  /** The pages that it looked at, also for what no longer counts. */
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

/** Runs what reads the database, and tells by EXPLAIN ANALYZE what its statements looked into. */
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
