import { createHash, randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import Fastify from "fastify"
import { type Client, Pool } from "pg"

// A conventional top-up service for comparison, with Fastify and pg. It uses one database transaction before the
// provider call and one after it, with one statement for each step. It checks neither credentials nor input, so it does
// less work than Saldo.

interface Order {
  readonly service_id: number
  readonly identifier: string
  readonly amount: number
}

/** A refused sale, with the HTTP status of the response. */
class Refused extends Error {
  readonly status: number

  constructor(status: number) {
    super(`refused with ${status}`)
    this.status = status
  }
}

const pool = new Pool({ connectionString: process.env["DATABASE_URL"], max: 20 })

const inTransaction = async <A>(work: (client: Client) => Promise<A>): Promise<A> => {
  const client = await pool.connect()
  try {
    await client.query("begin")
    const result = await work(client)
    await client.query("commit")
    return result
  } catch (cause) {
    await client.query("rollback")
    throw cause
  } finally {
    client.release()
  }
}

const reserve = (company: number, key: string, order: Order, centavos: number): Promise<number> =>
  inTransaction(async (client) => {
    const hash = createHash("sha256").update(JSON.stringify(order)).digest()
    const claimed = await client.query(
      "insert into shop.key (company_id, key, body_hash) values ($1, $2, $3) on conflict do nothing",
      [company, key, hash]
    )
    if (claimed.rowCount === 0) throw new Refused(409)
    const balances = await client.query("select * from shop.balance where company_id = $1 for update", [company])
    if (Number(balances.rows[0].available) < centavos) throw new Refused(422)
    await client.query(
      "select sum(amount) from shop.spent where company_id = $1 and day >= date_trunc('month', current_date)",
      [company]
    )
    await client.query("update shop.balance set available = available - $2, held = held + $2 where company_id = $1", [
      company,
      centavos
    ])
    await client.query(
      `insert into shop.spent values ($1, current_date, $2)
       on conflict (company_id, day) do update set amount = spent.amount + excluded.amount`,
      [company, centavos]
    )
    const sales = await client.query(
      `insert into shop.sale (company_id, reference, state, service_id, identifier, amount)
       values ($1, $2, 'PROCESSING', $3, $4, $5) returning id`,
      [company, key, order.service_id, order.identifier, centavos]
    )
    return Number(sales.rows[0].id)
  })

const confirm = (company: number, key: string, sale: number, centavos: number, answer: object): Promise<void> =>
  inTransaction(async (client) => {
    await client.query(
      `update shop.sale set state = 'SUCCESS', auth_code = 'OK1', processed_at = now()
       where company_id = $1 and id = $2 and state = 'PROCESSING'`,
      [company, sale]
    )
    const balances = await client.query(
      "update shop.balance set held = held - $2 where company_id = $1 returning available + held as owned",
      [company, centavos]
    )
    await client.query(
      "insert into shop.movement (company_id, sale_id, amount, balance_after) values ($1, $2, $3, $4)",
      [company, sale, -centavos, balances.rows[0].owned]
    )
    await client.query("update shop.key set answer = $3 where company_id = $1 and key = $2", [
      company,
      key,
      JSON.stringify(answer)
    ])
  })

/** Delivers immediately. Like Saldo's simulator, this provider takes no time. */
const deliver = () => Promise.resolve("OK1")

const app = Fastify()

app.post<{ Body: Order; Querystring: { company: string } }>("/v1/recargas", async ({ body, headers, query }, reply) => {
  const company = Number(query.company)
  const key = String(headers["idempotency-key"])
  const centavos = body.amount * 100
  const sale = await reserve(company, key, body, centavos)
  const answer = {
    success: true,
    data: {
      transaction_id: sale,
      status: "SUCCESS",
      xid: key,
      auth_code: await deliver(),
      service: { id: body.service_id, nombre: "Recarga" },
      identifier: body.identifier,
      amount: body.amount,
      currency: "DOP",
      message: "Operación exitosa.",
      processed_at: new Date().toISOString()
    },
    message: "Operación exitosa.",
    request_id: randomUUID()
  }
  await confirm(company, key, sale, centavos, answer)
  return reply.code(201).send(answer)
})

app.setErrorHandler((error, _request, reply) => reply.code(error instanceof Refused ? error.status : 500).send({}))

await pool.query(readFileSync(new URL("schema.sql", import.meta.url), "utf8"))
console.log(`ready at ${await app.listen({ port: 0, host: "127.0.0.1" })}`)
