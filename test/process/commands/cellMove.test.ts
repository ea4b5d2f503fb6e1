import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, Duration, Effect, Layer } from "effect"
import { inject } from "vitest"
import { MovePauses } from "../../../core/workflows/MoveCompany.ts"
import { CommandLine, commandLineOn } from "../../support/CommandLine.ts"
import { testDatabaseUrl } from "../../support/Database.ts"
import { asLoginIn } from "../../support/DatabaseLogins.ts"
import { copyDatabase } from "../../support/EmbeddedDatabases.ts"

/** The commands on two nodes, with and without the logins of the database owners. Moves have no pauses. */
class Commands extends Context.Service<
  Commands,
  {
    readonly asOwner: CommandLine["Service"]
    readonly asOperator: CommandLine["Service"]
    /** The command line with the logins of the database owners, while the server of the node does not answer. */
    readonly withoutNode: CommandLine["Service"]
  }
>()("saldo/test/Commands") {}

const atOnce = (line: CommandLine["Service"]): CommandLine["Service"] => {
  const pauses = Effect.provideService(MovePauses, { directory: Duration.zero, inFlight_max: Duration.zero })
  return {
    run: (...args) => pauses(line.run(...args)),
    answer: (...args) => pauses(line.answer(...args)),
    refusal: (...args) => pauses(line.refusal(...args))
  }
}

const commands = Layer.effect(
  Commands,
  Effect.gen(function* () {
    const url = yield* testDatabaseUrl
    const nodeUrl = yield* copyDatabase(inject("postgresUrl"), "template0", `test_${randomUUID()}`)
    const node = { CELL_NODE_ESTE_URL: asLoginIn("saldo_operator", nodeUrl) }
    const owner = { MIGRATION_DATABASE_URL: url, CELL_NODE_ESTE_MIGRATION_URL: nodeUrl }
    const nowhere = "postgres://saldo@127.0.0.1:1/saldo"
    const noNode = { CELL_NODE_ESTE_URL: nowhere, CELL_NODE_ESTE_MIGRATION_URL: nowhere }
    const lineWith = (environment: Readonly<Record<string, string>>) =>
      atOnce(commandLineOn(asLoginIn("saldo_operator", url), environment))
    return Commands.of({
      asOwner: lineWith({ ...node, ...owner }),
      asOperator: lineWith(node),
      withoutNode: lineWith({ ...owner, ...noNode })
    })
  })
)

layer(Layer.provideMerge(commands, CommandLine.layer), { excludeTestServices: true, timeout: "2 minutes" })(
  "saldo cell move",
  (it) => {
    it.effect("moves a cell to another node and back, with the balances of its companies", () =>
      Effect.gen(function* () {
        const { answer } = (yield* Commands).asOwner
        yield* answer("cell", "add", "norte", "--node", "este")
        const code = ["--razon-social", "Una", "--codigo", "UNA", "--ambiente", "development", "--cell", "norte"]
        const { empresa_id } = yield* answer("company", "create", ...code)
        yield* answer("company", "deposit", `${empresa_id}`, "100", "--referencia", "B-1")
        const statement = yield* answer("company", "statement", `${empresa_id}`)
        const { filas, ...moved } = yield* answer("cell", "move", "norte", "--node", "main")
        const places = { celda: "norte", nodo_anterior: "este", nodo: "main" }
        assert.deepStrictEqual(moved, { ...places, movida: true, nodo_perdido: null })
        assert.isAbove(filas, 2)
        assert.deepStrictEqual(yield* answer("company", "statement", `${empresa_id}`), statement)
        const again = yield* answer("cell", "move", "norte", "--node", "main")
        assert.deepInclude(again, { nodo: "main", movida: false, filas: null })
        yield* answer("company", "deposit", `${empresa_id}`, "50", "--referencia", "B-2")
        assert.isTrue((yield* answer("cell", "move", "norte", "--node", "este")).movida)
        assert.isTrue((yield* answer("audit")).ok)
      })
    )

    it.effect("needs the logins of the database owners, as a move of a company between nodes does", () =>
      Effect.gen(function* () {
        const { asOperator, asOwner } = yield* Commands
        for (const command of [
          ["cell", "move", "norte", "--node", "main"],
          ["company", "move", "1", "--to", "cell"]
        ]) {
          const { code, details } = yield* asOperator.refusal(...command)
          assert.deepStrictEqual([code, details.motivo], ["CELLS_UNREACHABLE", "login"])
        }
        assert.isTrue((yield* asOwner.answer("company", "move", "1", "--to", "cell")).movida)
        assert.isTrue((yield* asOwner.answer("company", "move", "1", "--to", "norte")).movida)
        assert.strictEqual((yield* asOwner.refusal("cell", "move", "cell", "--node", "este")).code, "CELL_NOT_MOVED")
        assert.isTrue((yield* asOwner.answer("audit")).ok)
      })
    )

    it.effect(
      "that was interrupted is reported by saldo doctor, and is cancelled by a move to the cell's own node",
      () =>
        Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          const { answer, refusal, run } = (yield* Commands).asOwner
          yield* sql`
          insert into directory.cell_move (cell, source, target, begun_at, was_open)
          values ('norte', 'este', 'main', now(), true)`
          const { stdout } = yield* run("doctor")
          assert.include(stdout, "norte from este to main")
          assert.include(stdout, "saldo cell move NAME --node NODE")
          const { code, message } = yield* refusal("cell", "open", "norte")
          assert.strictEqual(code, "CELL_MOVING")
          assert.include(message, "saldo cell move norte --node este")
          assert.isFalse((yield* answer("cell", "move", "norte", "--node", "este")).movida)
          assert.notInclude((yield* run("doctor")).stdout, "norte from este to main")
          const events = yield* sql<{ action: string }>`
          select action from directory.audit_event where action like 'cell_move%' order by id`
          const moved = ["cell_move_begun", "cell_moved"]
          assert.deepStrictEqual(
            events.map(({ action }) => action),
            [...moved, ...moved, "cell_move_abandoned"]
          )
        })
    )

    it.effect("ends without a lost node, and says how to clear the node after its return", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const { asOwner, withoutNode } = yield* Commands
        yield* asOwner.answer("cell", "move", "norte", "--node", "main")
        yield* sql`alter function directory.place_cell rename to is_missing`
        yield* asOwner.run("cell", "move", "norte", "--node", "este")
        yield* sql`alter function directory.is_missing rename to place_cell`

        const toLost = ["cell", "move", "norte", "--node", "este"]
        const refused = yield* withoutNode.refusal(...toLost)
        assert.deepStrictEqual([refused.code, refused.details.motivo], ["CELLS_UNREACHABLE", "target_down"])
        const flagged = yield* withoutNode.refusal(...toLost, "--source-lost")
        assert.deepStrictEqual([flagged.details.nodo, flagged.details.motivo], ["main", "source_answers"])
        const { stdout } = yield* withoutNode.run("cell", "move", "norte", "--node", "main")
        assert.include(stdout, 'remove them with "saldo cell clear --node este"')
        yield* withoutNode.answer("company", "deposit", "1", "50", "--referencia", "B-3")

        assert.include((yield* asOwner.run("doctor")).stdout, "saldo cell clear --node este")
        assert.strictEqual((yield* withoutNode.refusal("cell", "clear", "--node", "este")).code, "CELLS_UNREACHABLE")
        const cleared = yield* asOwner.answer("cell", "clear", "--node", "este")
        assert.deepStrictEqual(cleared, {
          nodo: "este",
          items: [{ celda: "norte", empresa_id: null, borrado: true }]
        })
        assert.deepStrictEqual((yield* asOwner.answer("cell", "clear", "--node", "este")).items, [])
        assert.notInclude((yield* asOwner.run("doctor")).stdout, "saldo cell clear")
        const events = yield* sql`
          select details from directory.audit_event where action in ('cell_move_abandoned', 'leftover_removed') order by id desc limit 2`
        assert.deepStrictEqual(events, [
          { details: { cell: "norte", node: "este" } },
          { details: { cell: "norte", from: "main", to: "este", lost: "este" } }
        ])
      })
    )

    it.effect(
      "has the same --source-lost as saldo company move, which works once the directory names the new cell",
      () =>
        Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          const { asOwner, withoutNode } = yield* Commands
          yield* asOwner.answer("company", "move", "1", "--to", "cell")
          yield* asOwner.answer("cell", "move", "norte", "--node", "este")
          yield* asOwner.answer("company", "move", "1", "--to", "norte")
          yield* sql`
          insert into directory.company_move (company_id, source, target, begun_at) values (1, 'norte', 'cell', now())`
          const ending = ["company", "move", "1", "--to", "cell"]
          assert.strictEqual((yield* withoutNode.refusal(...ending, "--source-lost")).details.motivo, "place_down")
          assert.strictEqual((yield* asOwner.refusal(...ending, "--source-lost")).details.motivo, "source_answers")
          yield* asOwner.answer(...ending)
          yield* sql`
          insert into directory.company_move (company_id, source, target, begun_at) values (1, 'norte', 'cell', now())`
          assert.strictEqual((yield* withoutNode.refusal(...ending)).details.motivo, "source_down")
          const { filas, ...ended } = yield* withoutNode.answer(...ending, "--source-lost")
          assert.isNull(filas)
          const places = { celda_anterior: "norte", celda: "cell" }
          assert.deepStrictEqual(ended, { empresa_id: 1, ...places, movida: true, nodo_perdido: "este" })
          assert.deepStrictEqual((yield* asOwner.answer("cell", "clear", "--node", "este")).items, [])
          assert.isTrue((yield* asOwner.answer("audit")).ok)
        })
    )
  }
)
