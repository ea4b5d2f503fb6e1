import { Effect } from "effect"
import { Statement } from "effect/sql"

/** Matches the condition that limits a claim to open companies (adapters/postgres/connection/Cell.ts). */
const openCondition =
  /not exists \(\s*select from "\w+"\.balance as o where o\.company_id = \w\.company_id and o\.closed\s*\)/

const transformer: Statement.Transformer = (statement, sql) => {
  const [text, values] = statement.compile()
  return Effect.succeed(openCondition.test(text) ? sql.unsafe(text.replace(openCondition, "true"), values) : statement)
}

/** Plants a bug: these claims also take the work of closed companies. */
export const withoutOpenCondition = <A, E, R>(claims: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(claims, Statement.CurrentTransformer, transformer)
