import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { freshDatabaseUrl } from "../support/Database.ts"
import { ended, saldo, serving, stopped } from "../support/SaldoProcess.ts"
import { timeout_ms } from "./Timeout.ts"

const tellsWhatItLoads = `
  import { writeSync } from "node:fs"
  import { registerHooks } from "node:module"
  registerHooks({
    load(url, context, next) {
      writeSync(2, "loads " + url + "\\n")
      return next(url, context)
    }
  })
`

const environment = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tellsWhatItLoads)}` }

const packagesIn = (stderr: string) =>
  new Set([...stderr.matchAll(/^loads file:.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/gm)].map(([, name]) => name))

describe("a process", { timeout: timeout_ms }, () => {
  it.live("that is no server loads nothing that only a server needs", () =>
    Effect.gen(function* () {
      const version = yield* saldo(["--version"], environment)
      yield* ended(version)
      const packages = packagesIn(version.stderr())
      assert.isTrue(packages.has("effect"), version.stderr())
      for (const name of ["@redis/client", "@trpc/server", "pdfkit", "redis", "trpc-to-openapi", "zod"])
        assert.isFalse(packages.has(name), name)
    })
  )

  it.live("that serves without Redis does not load its client", () =>
    Effect.gen(function* () {
      const server = yield* serving({ ...environment, DATABASE_URL: yield* freshDatabaseUrl })
      yield* stopped(server, "SIGTERM")
      const packages = packagesIn(server.stderr())
      assert.isTrue(packages.has("@trpc/server"))
      for (const name of ["@redis/client", "redis"]) assert.isFalse(packages.has(name), name)
    })
  )
})
