import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Clock, Duration, Effect } from "effect"
import { CommandLine } from "../../support/CommandLine.ts"

/** The company of these tests, created at first use. */
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
  it.effect("has a secret of at least 256 bits without a dot, stored only as a digest", () =>
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

  it.effect("has its own key and secret", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* issue(), yield* issue()]
      assert.notStrictEqual(one.api_key, two.api_key)
      assert.notStrictEqual(one.api_secret, two.api_secret)
    })
  )

  it.effect("is listed with the settings with which it was issued", () =>
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

  // Successive commands -> final state of the token.
  it.effect.each([
    [["suspend"], "suspended"],
    [["suspend", "activate"], "active"],
    [["activate"], "active"],
    [["revoke"], "revoked"],
    [["suspend", "revoke"], "revoked"],
    [["revoke", "revoke"], "revoked"]
  ] as const)("after the commands %s is in the state %s", ([verbs, state]) =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { token_id } = yield* issue()
      const answers = yield* Effect.forEach(verbs, (verb) => answer("token", verb, `${token_id}`))
      assert.deepStrictEqual(answers.at(-1), { token_id, estado: state })
      assert.strictEqual(yield* stateOf(token_id), state)
    })
  )

  it.effect.each(["activate", "suspend"])("refuses %s once the token is revoked", (verb) =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { token_id } = yield* issue()
      yield* answer("token", "revoke", `${token_id}`)
      const { code, exit } = yield* refusal("token", verb, `${token_id}`)
      assert.deepStrictEqual([exit, code], [1, "TOKEN_REVOKED"])
      assert.strictEqual(yield* stateOf(token_id), "revoked")
    })
  )

  it.effect.each(["activate", "suspend", "revoke"])("is not found by %s when it was never issued", (verb) =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { code, details, exit } = yield* refusal("token", verb, "4711")
      assert.deepStrictEqual([exit, code, details], [1, "TOKEN_NOT_FOUND", { token_id: 4711 }])
    })
  )
})

interface Issued {
  readonly empresa_id: number
  readonly token_id: number
  readonly api_key: string
  readonly api_secret: string
}

const development = ["--ambiente", "development"]

/** Issues a token to a new company. */
const issued = Effect.gen(function* () {
  const { answer } = yield* CommandLine
  const code = crypto.randomUUID().slice(0, 8)
  const company = yield* answer("company", "create", "--razon-social", code, "--codigo", code, ...development)
  const token = yield* answer("token", "issue", `${company.empresa_id}`, "--nombre", "Caja")
  return { ...token, empresa_id: company.empresa_id } as Issued
})
/** Whether each secret is the token's current secret, its previous secret, or neither. */
const opening = Effect.fnUntraced(function* (tokenId: number, secrets: ReadonlyArray<string>) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ own: string; previous: string | null }>`
    select encode(secret_hash, 'hex') as own, encode(previous_hash, 'hex') as previous
    from directory.token
    where id = ${tokenId}`
  const hashes = yield* Effect.forEach(secrets, (secret) =>
    Effect.map(
      sql<{ hash: string }>`select encode(sha256(convert_to(${secret}, 'UTF8')), 'hex') as hash`,
      ([made]) => made?.hash
    )
  )
  return hashes.map((hash) => (hash === row?.own ? "own" : hash === row?.previous ? "previous" : "none"))
})

layer(CommandLine.layer, { excludeTestServices: true })("a rotation of a secret", (it) => {
  it.effect("shows the new secret and until when the old one is accepted", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { api_key, api_secret, empresa_id, token_id } = yield* issued
      const before = yield* Clock.currentTimeMillis
      const rotated = yield* answer("token", "rotate", `${token_id}`)
      assert.deepStrictEqual(Object.keys(rotated), ["token_id", "api_key", "api_secret", "expira_anterior"])
      assert.deepStrictEqual([rotated.token_id, rotated.api_key], [token_id, api_key])
      assert.match(rotated.api_secret, /^[\w-]{43}$/)
      assert.notStrictEqual(rotated.api_secret, api_secret)
      const until = Date.parse(rotated.expira_anterior)
      const day_ms = Duration.toMillis("24 hours")
      assert.isTrue(until >= before + day_ms && until <= (yield* Clock.currentTimeMillis) + day_ms)
      assert.deepStrictEqual(yield* opening(token_id, [rotated.api_secret, api_secret]), ["own", "previous"])
      const { items } = yield* answer("token", "list", `${empresa_id}`)
      assert.deepStrictEqual([items[0].expira_anterior, items.length], [rotated.expira_anterior, 1])
    })
  )

  it.effect("drops the oldest secret if the overlap of an earlier rotation is still running", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { api_secret: first, token_id } = yield* issued
      const { api_secret: second } = yield* answer("token", "rotate", `${token_id}`, "--solape", "7d")
      const { api_secret: third } = yield* answer("token", "rotate", `${token_id}`, "--solape", "30m")
      assert.deepStrictEqual(yield* opening(token_id, [third, second, first]), ["own", "previous", "none"])
    })
  )

  it.effect("without an overlap ends the old secrets immediately", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { api_secret: first, empresa_id, token_id } = yield* issued
      const { api_secret: second } = yield* answer("token", "rotate", `${token_id}`)
      const { api_secret: third, expira_anterior } = yield* answer("token", "rotate", `${token_id}`, "--solape", "0")
      assert.isNull(expira_anterior)
      assert.deepStrictEqual(yield* opening(token_id, [third, second, first]), ["own", "none", "none"])
      assert.isNull((yield* answer("token", "list", `${empresa_id}`)).items[0].expira_anterior)
    })
  )

  it.effect("leaves two valid secrets after several operators rotate concurrently", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { token_id } = yield* issued
      const rotated = yield* Effect.forEach([1, 2, 3, 4], () => answer("token", "rotate", `${token_id}`), {
        concurrency: "unbounded"
      })
      const places = yield* opening(
        token_id,
        rotated.map(({ api_secret }) => api_secret)
      )
      assert.deepStrictEqual([...places].sort(), ["none", "none", "own", "previous"])
    })
  )

  it.effect("prints when the old secret ends", () =>
    Effect.gen(function* () {
      const { run } = yield* CommandLine
      const { token_id } = yield* issued
      const { stdout } = yield* run("token", "rotate", `${token_id}`, "--solape", "2h")
      assert.match(stdout, /has a new secret\. The old secret is valid until \d{4}-\d\d-\d\dT.*Z\.\n {2}api_key: /)
      const { stdout: now } = yield* run("token", "rotate", `${token_id}`, "--solape", "0")
      assert.match(now, /The old secret is refused from now on\./)
    })
  )

  it.effect("is written to the audit log without a secret", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const sql = yield* PgClient.PgClient
      const { empresa_id, token_id } = yield* issued
      const { expira_anterior } = yield* answer("token", "rotate", `${token_id}`)
      const events = yield* sql`
        select company_id::int, details
        from directory.audit_event
        where action = 'token_rotated' and token_id = ${token_id}`
      assert.deepStrictEqual(events, [{ company_id: empresa_id, details: { previous_until: expira_anterior } }])
    })
  )

  it.effect("leaves a suspended token suspended", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { empresa_id, token_id } = yield* issued
      yield* answer("token", "suspend", `${token_id}`)
      yield* answer("token", "rotate", `${token_id}`)
      assert.strictEqual((yield* answer("token", "list", `${empresa_id}`)).items[0].estado, "suspended")
    })
  )

  it.effect("is refused for a revoked token and not found for an unknown one", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { api_secret, token_id } = yield* issued
      yield* answer("token", "revoke", `${token_id}`)
      const { code, exit } = yield* refusal("token", "rotate", `${token_id}`)
      assert.deepStrictEqual([exit, code], [1, "TOKEN_REVOKED"])
      assert.deepStrictEqual(yield* opening(token_id, [api_secret]), ["own"])
      const unknown = yield* refusal("token", "rotate", "4711")
      assert.deepStrictEqual([unknown.exit, unknown.code], [1, "TOKEN_NOT_FOUND"])
    })
  )

  it.effect.each(["24", "-1h", "1.5h", "31d", "721h", "h", "", "24H", "1w", "00", "1h30m"])(
    "is rejected as wrong usage with the overlap %j",
    (overlap) =>
      Effect.gen(function* () {
        const { refusal } = yield* CommandLine
        const { api_secret, token_id } = yield* issued
        const { code, exit } = yield* refusal("token", "rotate", `${token_id}`, `--solape=${overlap}`)
        assert.deepStrictEqual([exit, code], [2, "WRONG_USAGE"])
        assert.deepStrictEqual(yield* opening(token_id, [api_secret]), ["own"])
      })
  )
})
