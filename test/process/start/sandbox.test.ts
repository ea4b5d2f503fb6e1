import { isDeepStrictEqual } from "node:util"
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { servingHere } from "../../support/CommandLine.ts"
import { freshDatabaseUrl } from "../../support/Database.ts"
import { eventually } from "../../support/Eventually.ts"

/**
 * The results of a visit to a server: whether /docs shows the secret, whether /docs says that the credentials are not active,
 * and the status of a call with the secret.
 */
const visit = (url: string, secret: string) =>
  Effect.promise(async () => {
    const page = await (await fetch(`${url}/docs`)).text()
    const headers = { authorization: `Bearer sandbox_publico.${secret}` }
    const { status } = await fetch(`${url}/v1/saldo`, { headers })
    return { shown: page.includes(`data-api-secret="${secret}"`), closed: page.includes("no están activas"), status }
  })

/** Waits until a visit shows the expected result. Servers notify each other of changed tokens, which takes a moment. */
const sees = (url: string, secret: string, expected: Effect.Success<ReturnType<typeof visit>>) =>
  eventually(visit(url, secret), (seen) => isDeepStrictEqual(seen, expected))

const open = { shown: true, closed: false, status: 200 }

layer(Layer.empty, { excludeTestServices: true })("the page /docs of a server with a sandbox", (it) => {
  it.effect("shows the credentials only while no other server on the database has disabled or changed them", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const unlimited = { RATE_LIMIT_PER_MINUTE: "1000000", RATE_LIMIT_ADDRESS_PER_MINUTE: "1000000" }
        const database = { DATABASE_URL: yield* freshDatabaseUrl, ...unlimited }
        const own = { ...database, SANDBOX_API_SECRET: "el-secreto" }
        const { url } = yield* servingHere(own)
        yield* sees(url, "el-secreto", open)

        const without = yield* servingHere({ ...database, SANDBOX: "off" })
        yield* sees(url, "el-secreto", { shown: false, closed: true, status: 403 })
        yield* sees(without.url, "el-secreto", { shown: false, closed: false, status: 403 })

        const changed = yield* servingHere({ ...database, SANDBOX_API_SECRET: "otro-secreto" })
        yield* sees(url, "el-secreto", { shown: false, closed: true, status: 401 })
        yield* sees(changed.url, "otro-secreto", open)

        const again = yield* servingHere(own)
        yield* sees(again.url, "el-secreto", open)
        yield* sees(url, "el-secreto", open)
      })
    )
  )
})
