import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { migrate } from "../../../adapters/postgres/schema/Migrations.ts"
import { TestDatabase } from "../../support/Database.ts"

layer(TestDatabase)("a function that moves money", (it) => {
  it.effect("runs as its owner, and only the server's role may call it", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const functions = yield* sql<{ name: string; definer: boolean; server: boolean; reader: boolean; all: boolean }>`
        select
          p.oid::regproc::text as name,
          p.prosecdef as definer,
          has_function_privilege('saldo_server', p.oid, 'EXECUTE') as server,
          has_function_privilege('saldo_reader', p.oid, 'EXECUTE') as reader,
          exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) where grantee = 0) as all
        from pg_proc as p
        where p.pronamespace in ('cell'::regnamespace, 'directory'::regnamespace)
          and p.prorettype <> 'trigger'::regtype
        order by p.oid::regproc::text collate "C"`
      const sales = ["begin_reversal", "reserve", "settle", "settle_reversal"]
      const webhooks = ["add_webhook", "remove_webhook", "test_webhook"]
      const closings = ["add_closing", "day_figures", "end_day"]
      const served = [...sales, ...webhooks, ...closings].map((name) => `cell.${name}`)
      const funding = ["directory.adjust", "directory.deposit"]
      const proposing = ["directory.confirm_funding", "directory.propose_funding"]
      const proposals = ["confirm_funding", "propose_funding", "reject_funding"].map((name) => `cell.${name}`)
      const others = ["adjust", "close_companies", "deposit", "turn_events"].map((name) => `cell.${name}`)
      const movers = "hold_cell_move hold_move move_company place_cell place_company raise_ids".split(" ")
      const moving = movers.map((name) => `directory.${name}`)
      const definers = [...served, ...funding, ...moving, ...proposing, ...proposals, ...others]
      const lists = ["block_length", "join_blocks", "list_anew", "make_blocks", "recount_blocks"]
      const sublists = ["join_sublist_blocks", "status_after", "tail_length"]
      const names = ["cell.response_of", "cell.sublist_of", "cell.sublists_of"]
      const refusing = ["has_departed", "is_leaving", "refuse_if_closed"]
      const days = ["next_closing", "local_day", "entry_line", ...refusing].map((name) => `cell.${name}`)
      const rows = ["account", "demand", "event_fact", "settling", "status_change"]
      const reserving = ["answers_of_known_keys", "judge_one_by_one", "refusal"]
      const shared = ["day_start", "default_limit", "deposit_elsewhere", "folded_text", "key_state", "post_adjustment"]
      const recorded = ["recorded_adjustment", "recorded_deposit", "require_all_written"]
      const events = ["events_after", "record_events", "write_events"]
      const frozen = ["delete_company", "digest_of", "freeze_table", "stored_tables", "tables_to_move", "thaw_table"]
      const ids = ["highest_ids", "ids_reach", "numbered_columns", "raise_ids", "set_back_follow_ups"]
      const theirs = [lists, events, sublists, rows, reserving, shared, recorded, frozen, ids].flat()
      const ofDirectory = ["allow_funding", "cell_of", "deposit_elsewhere"].map((name) => `directory.${name}`)
      assert.deepStrictEqual(
        functions,
        [...definers, ...names, ...days, ...theirs.map((name) => `cell.${name}`), ...ofDirectory]
          .sort()
          .map((name) => ({
            name,
            definer: definers.includes(name),
            server: [...served, ...funding, ...names, ...days].includes(name),
            reader: names.includes(name),
            all: false
          }))
      )
    })
  )

  it.effect("keeps its grants when a migration recreates it", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`update cell.schema_file set digest = '' where name in ('functions/settle', 'roles')`
      assert.deepStrictEqual(yield* migrate, ["cell/functions/settle", "cell/roles"])
      const [row] =
        yield* sql`select has_function_privilege('saldo_server', 'cell.settle(jsonb, boolean)', 'EXECUTE') as may`
      assert.isTrue(row?.["may"])
    })
  )
})
