import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../support/CommandLine.ts"

/** The one company of these tests, made when it is first wanted. */
const company = Effect.gen(function* () {
  const { answer } = yield* CommandLine
  const { items } = yield* answer("company", "list")
  const known: number | undefined = items[0]?.empresa_id
  if (known !== undefined) return known
  const one = ["--razon-social", "Una", "--codigo", "UNA", "--ambiente", "development"]
  return (yield* answer("company", "create", ...one)).empresa_id as number
})

const issue = (...more: ReadonlyArray<string>) =>
  Effect.flatMap(company, (id) =>
    CommandLine.use(({ answer }) => answer("token", "issue", `${id}`, "--nombre", "Caja", ...more))
  )

const stateOf = (tokenId: number) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const [row] = yield* sql`select state from directory.token where id = ${tokenId}`
    return row?.["state"]
  })

layer(CommandLine.layer, { excludeTestServices: true })("a token", (it) => {
  it.effect("has a secret of 256 bits or more, without a dot, of which only the digest is kept", () =>
    Effect.gen(function* () {
      const { api_key, api_secret, token_id } = yield* issue()
      assert.match(api_key, /^[\w-]{24}$/)
      assert.match(api_secret, /^[\w-]{43}$/)
      const sql = yield* PgClient.PgClient
      const rows = yield* sql`
        select secret_hash = sha256(convert_to(${api_secret}, 'UTF8')) as digest, t::text like ${`%${api_secret}%`} as plain
        from directory.token as t
        where id = ${token_id}`
      assert.deepStrictEqual(rows, [{ digest: true, plain: false }])
    })
  )

  it.effect("is like no other", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* issue(), yield* issue()]
      assert.notStrictEqual(one.api_key, two.api_key)
      assert.notStrictEqual(one.api_secret, two.api_secret)
    })
  )

  it.effect("carries what it was issued with", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { api_key, token_id } = yield* issue(
        ...["--permisos", "balance.read,transactions.read", "--ips", "10.0.0.0/8,2001:db8::1", "--por-minuto", "5"],
        ...["--expira", "2100-01-01T00:00:00-04:00", "--consultas-reales"]
      )
      const { items } = yield* answer("token", "list", `${yield* company}`)
      assert.deepStrictEqual(
        items.find((item: { token_id: number }) => item.token_id === token_id),
        {
          token_id,
          nombre: "Caja",
          api_key,
          estado: "active",
          permisos: ["balance.read", "transactions.read"],
          ips: ["10.0.0.0/8", "2001:db8::1"],
          expira: "2100-01-01T04:00:00.000Z",
          por_minuto: 5,
          consultas_reales: true,
          ultimo_uso: null,
          expira_anterior: null
        }
      )
    })
  )

  // Commands one after the other, and how the token then stands.
  it.effect.each([
    [["suspend"], "suspended"],
    [["suspend", "activate"], "active"],
    [["activate"], "active"],
    [["revoke"], "revoked"],
    [["suspend", "revoke"], "revoked"],
    [["revoke", "revoke"], "revoked"]
  ] as const)("%s -> %s", ([verbs, state]) =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { token_id } = yield* issue()
      const answers = yield* Effect.forEach(verbs, (verb) => answer("token", verb, `${token_id}`))
      assert.deepStrictEqual(answers.at(-1), { token_id, estado: state })
      assert.strictEqual(yield* stateOf(token_id), state)
    })
  )

  it.effect.each(["activate", "suspend"])("that is revoked refuses to %s", (verb) =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { token_id } = yield* issue()
      yield* answer("token", "revoke", `${token_id}`)
      const { code, exit } = yield* refusal("token", verb, `${token_id}`)
      assert.deepStrictEqual([exit, code], [1, "TOKEN_REVOKED"])
      assert.strictEqual(yield* stateOf(token_id), "revoked")
    })
  )

  it.effect.each(["activate", "suspend", "revoke"])("that nobody issued is not found by %s", (verb) =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { code, details, exit } = yield* refusal("token", verb, "4711")
      assert.deepStrictEqual([exit, code, details], [1, "TOKEN_NOT_FOUND", { token_id: 4711 }])
    })
  )
})
