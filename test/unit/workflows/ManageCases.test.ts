import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option, Stream } from "effect"
import { type Case, CaseId, type CaseNote } from "../../../core/domain/Case.ts"
import { OperatorId, type Role } from "../../../core/domain/Operator.ts"
import { Atomic } from "../../../core/ports/Atomic.ts"
import { type AuditEvent, AuditLog } from "../../../core/ports/AuditLog.ts"
import { Cases } from "../../../core/ports/Cases.ts"
import { CurrentActor } from "../../../core/ports/CurrentActor.ts"
import { ProviderStatements } from "../../../core/ports/ProviderStatements.ts"
import { closeCase, compareStatement, noteCase, showCase } from "../../../core/workflows/ManageCases.ts"

const id = CaseId.make(7)
const at = DateTime.makeUnsafe("2026-03-01T12:00:00Z")

const open: Case = {
  id,
  provider: "http",
  kind: "solo_suyo",
  state: "abierto",
  reference: "X-1",
  externalId: null,
  companyId: null,
  transactionId: null,
  ours: null,
  theirs: { status: "SUCCESS", amount: null, at: null },
  lines: 1,
  line: 2,
  file: "a.csv",
  foundAt: at,
  seenAt: at,
  goneAt: null
}

/** One case in memory, and the audit log of the changes. */
const world = () => {
  let state = open.state
  const notes: Array<CaseNote> = []
  const audited: Array<AuditEvent> = []
  const layer = Layer.mergeAll(
    Layer.succeed(Cases, {
      list: () => Effect.succeed({ items: [], total: 0 }),
      all: () => Stream.empty,
      find: () => Effect.sync(() => Option.some({ ...open, state })),
      notes: () => Effect.sync(() => [...notes]),
      note: (_, note) =>
        Effect.sync(() => {
          if (state === "cerrado") return false
          state = note.state
          notes.push(note)
          return true
        })
    }),
    Layer.succeed(ProviderStatements, { compare: () => Effect.die(new Error("not compared")) }),
    Layer.succeed(Atomic, { transact: (writes) => writes }),
    Layer.succeed(AuditLog, { record: (event) => Effect.sync(() => void audited.push(event)) })
  )
  return { audited, layer }
}

const as = (role: Role) =>
  Effect.provideService(CurrentActor, {
    id: OperatorId.make(3),
    name: "Ana",
    role,
    via: "console",
    address: null
  })

it.effect.each(["lector", "cajero"] as const)("a %s reads cases and changes none", (role) => {
  const { audited, layer } = world()
  const statement = { provider: "http", file: "a.csv", lines: Stream.empty, days: null } as const
  return Effect.gen(function* () {
    assert.strictEqual((yield* showCase(id)).found.state, "abierto")
    const refusals = [
      yield* Effect.flip(noteCase(id, "n")),
      yield* Effect.flip(closeCase(id, "n")),
      yield* Effect.flip(compareStatement(statement))
    ]
    for (const refused of refusals) {
      assert.deepInclude({ ...refused }, { _tag: "NotAllowed", action: "case", role })
    }
    assert.deepStrictEqual([(yield* showCase(id)).notes, audited], [[], []])
  }).pipe(as(role), Effect.provide(layer))
})

it.effect.each(["supervisor", "admin"] as const)(
  "a %s adds a note to a case and closes it, under the name of the account",
  (role) => {
    const { audited, layer } = world()
    return Effect.gen(function* () {
      yield* noteCase(id, "Preguntado")
      const { found, notes } = yield* closeCase(id, "Acreditado")
      assert.strictEqual(found.state, "cerrado")
      assert.deepStrictEqual(
        notes.map(({ note, operator, state }) => [note, operator, state]),
        [
          ["Preguntado", "Ana", "anotado"],
          ["Acreditado", "Ana", "cerrado"]
        ]
      )
      assert.deepStrictEqual(
        audited.map(({ action, actor, details }) => [action, actor?.name, details["before"], details["after"]]),
        [
          ["case_noted", "Ana", { state: "abierto" }, { state: "anotado" }],
          ["case_closed", "Ana", { state: "anotado" }, { state: "cerrado" }]
        ]
      )
      assert.strictEqual((yield* Effect.flip(closeCase(id, "Otra vez")))._tag, "CaseClosed")
    }).pipe(as(role), Effect.provide(layer))
  }
)
