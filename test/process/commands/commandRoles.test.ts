import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { may, type OperatorAction, Role } from "../../../core/domain/Operator.ts"
import { CommandLine, commandLineOn, commandNames } from "../../support/CommandLine.ts"
import { testDatabaseUrl } from "../../support/Database.ts"
import { asLoginIn } from "../../support/DatabaseLogins.ts"
import { addOperator, operatorToken } from "../../support/OperatorAccounts.ts"
import { compared, statementFile } from "../support/StatementFiles.ts"

/** The ids and files that the commands refer to. */
interface Subjects {
  readonly company: string
  /** A proposal of another operator. */
  readonly proposal: string
  /** A file with the statement of a provider. */
  readonly statement: string
}

type Command = readonly [action: OperatorAction, words: ReadonlyArray<string>]

const catalogue = "facade/settings/catalogue.example.json"

const reading = ({ company }: Subjects): ReadonlyArray<Command> =>
  [
    ["audit"],
    ["case", "list"],
    ["case", "show", "1"],
    ["catalog", "export"],
    ["catalog", "list"],
    ["cell", "list"],
    ["close", "--verify"],
    ["company", "list"],
    ["company", "proposals"],
    ["company", "show", company],
    ["company", "statement", company],
    ["doctor"],
    ["insurance", "list"],
    ["log"],
    ["operator", "list"],
    ["reconcile"],
    ["sms", "list"],
    ["status"],
    ["token", "list", company],
    ["transactions", "list"],
    ["transactions", "show", "1"],
    ["webhook", "list"],
    ["webhook", "show", "1"]
  ].map((words) => ["read", words])

const changing = ({ company, proposal, statement }: Subjects): ReadonlyArray<Command> => [
  ["deposit", ["company", "deposit", company, "10", "--referencia", "R-1"]],
  ["deposit", ["close", "2026-01-31"]],
  ["propose", ["company", "adjust", company, "10", "--referencia", "A-1", "--motivo", "x"]],
  ["propose", ["transactions", "ask", "999999"]],
  ["propose", ["transactions", "resolve", "999999", "--as", "failed", "--motivo", "x"]],
  ["confirm", ["company", "confirm", "999999"]],
  ["confirm", ["company", "reject", proposal, "--motivo", "x"]],
  ["confirm", ["transactions", "confirm", "999999", "--propuesta", "1"]],
  ["limits", ["company", "set", company, "--limite-diario", "7", "--alerta-saldo-bajo", "3"]],
  ["company", ["company", "set", company, "--estado", "vip"]],
  ["company", ["company", "set", company, "--eventos", "on"]],
  ["company", ["company", "set", company, "--estado", "vip", "--limite-diario", "9"]],
  ["company", ["company", "create", "--razon-social", "Otra", "--codigo", "OTRA", "--ambiente", "development"]],
  ["case", ["case", "note", "999999", "--nota", "x"]],
  ["case", ["case", "close", "999999", "--nota", "x"]],
  ["case", compared(statement, "--desde", "2026-01-01", "--hasta", "2026-01-31")],
  ["token", ["token", "issue", company, "--nombre", "caja"]],
  ["token", ["token", "rotate", "999999"]],
  ["token", ["token", "suspend", "999999"]],
  ["token", ["token", "activate", "999999"]],
  ["token", ["token", "revoke", "999999"]],
  ["catalogue", ["catalog", "import", catalogue]],
  ["catalogue", ["catalog", "withdraw", "999999"]],
  ["catalogue", ["catalog", "restore", "999999"]],
  ["catalogue", ["catalog", "enable", company, "999999"]],
  ["catalogue", ["catalog", "disable", company, "999999"]],
  ["cell", ["cell", "add", "zona"]],
  ["cell", ["cell", "close", "zona"]],
  ["cell", ["cell", "open", "zona"]],
  ["cell", ["cell", "move", "zona", "--node", "main"]],
  ["cell", ["cell", "clear", "--node", "main"]],
  ["cell", ["company", "move", company, "--to", "zona"]],
  ["webhook", ["webhook", "disable", "999999"]],
  ["webhook", ["webhook", "replay", "999999", "--desde", "2027-01-01T00:00:00-04:00"]],
  ["operator", ["operator", "invite", "Nueva", "--rol", "lector"]],
  ["operator", ["operator", "reinvite", "Nadie"]],
  ["operator", ["operator", "suspend", "Nadie"]],
  ["operator", ["operator", "resume", "Nadie"]],
  ["operator", ["operator", "role", "Nadie", "--rol", "lector"]],
  ["operator", ["operator", "token", "otra", "--revocar"]]
]

/** Commands that need no role: the sign-in, and commands that need the rights of the database owner or of a server. */
const withoutRole = ["console", "login", "logout", "migrate", "operator accept", "serve"]

const nameOf = (words: ReadonlyArray<string>) =>
  commandNames.find((name) => name === words.slice(0, name.split(" ").length).join(" ")) ?? words.join(" ")

const none: Subjects = { company: "1", proposal: "1", statement: "none" }

describe("the table of roles", () => {
  it("contains every command", () => {
    const tried = [...reading(none), ...changing(none)].map(([, words]) => nameOf(words))
    expect([...new Set([...tried, ...withoutRole])].sort()).toEqual([...commandNames].sort())
  })
})

layer(CommandLine.layer, { excludeTestServices: true })("a command", (it) => {
  /** The command line with the session of a new operator. */
  const shellOf = Effect.fnUntraced(function* (name: string, role: Role) {
    const database = yield* testDatabaseUrl
    yield* addOperator(database, name, role)
    return commandLineOn(asLoginIn("saldo_operator", database), { OPERATOR_TOKEN: operatorToken(name) })
  })

  const subjects = Effect.gen(function* () {
    const { answer } = yield* shellOf("otra", "admin")
    const named = ["--razon-social", "Una, S.R.L.", "--codigo", crypto.randomUUID(), "--ambiente", "development"]
    const { empresa_id } = yield* answer("company", "create", ...named)
    const correction = ["--referencia", "A-0", "--motivo", "x"]
    const { propuesta } = yield* answer("company", "adjust", `${empresa_id}`, "5", ...correction)
    const statement = yield* statementFile("xid,external_id,status,amount,date\n")
    return { company: `${empresa_id}`, proposal: `${propuesta}`, statement } satisfies Subjects
  })

  /** Tries commands with a role, or without a session if the role is null. */
  const tryAll = Effect.fnUntraced(function* (role: Role | null, commandsOf: typeof changing) {
    const given = yield* subjects
    const { run } = role === null ? yield* CommandLine : yield* shellOf(`de ${role}`, role)
    for (const [action, words] of commandsOf(given)) {
      const { stderr } = yield* run(...words, "--json")
      const code = stderr === "" ? null : JSON.parse(stderr).error.code
      const tried = `${role}: ${words.join(" ")}: ${stderr}`
      assert.notStrictEqual(code, "WRONG_USAGE", tried)
      assert.strictEqual(code === "NOT_ALLOWED", !may(role ?? "lector", action), tried)
    }
  }, Effect.scoped)

  it.effect.each(Role.literals)(
    "that changes data is refused to %s if and only if the role may not take its action",
    (role) => tryAll(role, changing)
  )

  it.effect("that changes data is refused without a session", () => tryAll(null, changing))

  it.effect("that only reads is allowed to the role lector", () => tryAll("lector", reading))

  it.effect("that only reads is allowed without a session", () => tryAll(null, reading))
})
