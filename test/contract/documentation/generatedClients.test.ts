import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { temporaryDirectory } from "../../support/FirstStart.ts"
import { ServiceAddress } from "../../support/InProcessService.ts"
import { root, runProgram } from "../../support/RunProgram.ts"
import { call } from "../../support/service/HttpCalls.ts"
import { secret, TestService } from "../../support/service/InMemoryService.ts"

/** TypeScript 5.9, which the generators and most projects of integrators use. */
const typescript = `${root}facade/client/node_modules/typescript`

// Makes the generators load this version. They would load the newest TypeScript, which no longer has the compiler as a
// library.
const withTypescript = `import { registerHooks } from "node:module"
registerHooks({
  resolve: (name, context, next) => next(name === "typescript" ? "file://${typescript}/lib/typescript.js" : name, context)
})`

/** The first lines of each program: the sales that it makes and what it prints. */
const start = `declare const process: { readonly argv: ReadonlyArray<string> }
const [, , baseUrl = "", token = ""] = process.argv
const saleTo = (identifier: string) => ({ service_id: 1, identifier, amount: 100 })
const newKey = () => ({ "Idempotency-Key": crypto.randomUUID() })
`

/** A request that the compiler must refuse: neither an amount nor an option. */
const incomplete = "{ service_id: 1, identifier: '8095551234' }"

/**
 * The code with which each program handles the response to a sale. The compiler learns from the types alone
 * which fields each outcome has.
 */
const outcome = `
  if (data?.success === true) {
    const status: "SUCCESS" = data.data.status
    return { status, id: data.data.transaction_id }
  }
  if (data !== undefined) return data.error.details.consultar_en
  if (error.error.code === "INVALID_PHONE") {
    const status: "FAILED" = error.error.details.status
    return { code: error.error.code, status }
  }
  if (error.error.code === "LIMIT_EXCEEDED") return error.error.details.periodo
  // @ts-expect-error No operation returns this code.
  if (error.error.code === "NINGUNO") return null
  return error.error.message`

const generators = {
  "openapi-typescript": {
    output: "paths",
    args: ["node_modules/openapi-typescript/bin/cli.js", "openapi.json", "--output", "paths/schema.ts"],
    program: `${start}
import createClient from "openapi-fetch"
import type { components, paths } from "./schema.js"

const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${token}\` } })

const sell = async (identifier: string) => {
  const { data, error } = await client.POST("/v1/recargas", { params: { header: newKey() }, body: saleTo(identifier) })
  ${outcome}
}
// @ts-expect-error A sale needs an amount or an option.
export const incomplete: components["schemas"]["VentaPorMonto"] | components["schemas"]["VentaDeOpcion"] = ${incomplete}

const codes: ReadonlyArray<components["schemas"]["CodigoError"]> = ["NOT_FOUND"]
const sold = await sell("8095551234")
const refused = await sell("8095551230")
const pending = await sell("8095551232")
const { data: balance } = await client.GET("/v1/saldo")
const { data: list } = await client.GET("/v1/transacciones", { params: { query: { status: "SUCCESS", per_page: 5 } } })
const { error: missing } = await client.GET("/v1/transacciones/{id}", { params: { path: { id: 999_999 } } })
const listed: ReadonlyArray<components["schemas"]["Transaccion"]> = typeof list === "object" ? list.data.items : []
const { data: receipt } = await client.GET("/v1/transacciones/{id}/recibo", { params: { path: { id: 1 } } })
const { data: pdf } = await client.GET("/v1/transacciones/{id}/recibo", {
  params: { path: { id: 1 }, query: { formato: "pdf" } },
  parseAs: "blob"
})
const bytes = pdf === undefined ? "" : await pdf.text()
console.log(JSON.stringify({
  sold, refused, pending, isHeld: (balance?.data.saldo_retenido ?? 0) >= 100, listed: listed.length > 0,
  isReceipt: typeof receipt === "object" && receipt.data.transaction_id === 1 && bytes.startsWith("%PDF-"),
  isMissing: missing?.error.code === codes[0]
}))
`
  },
  "@hey-api/openapi-ts": {
    output: "functions",
    args: [
      "node_modules/@hey-api/openapi-ts/dist/run.mjs",
      "--input",
      "openapi.json",
      "--output",
      "functions/generated"
    ],
    program: `${start}
import { createClient } from "./generated/client/index.js"
import { cuentaSaldo, recargasCrear, transaccionesListar, transaccionesRecibo, transaccionesVer } from "./generated/index.js"
import type { CodigoError, RecargasCrearData, Transaccion } from "./generated/index.js"

const client = createClient({ baseUrl, auth: ({ scheme }) => (scheme === "bearer" ? token : undefined) })

const sell = async (identifier: string) => {
  const { data, error } = await recargasCrear({ client, headers: newKey(), body: saleTo(identifier) })
  ${outcome}
}
// @ts-expect-error A sale needs an amount or an option.
export const incomplete: RecargasCrearData["body"] = ${incomplete}

const codes: ReadonlyArray<CodigoError> = ["NOT_FOUND"]
const sold = await sell("8095551234")
const refused = await sell("8095551230")
const pending = await sell("8095551232")
const { data: balance } = await cuentaSaldo({ client })
const { data: list } = await transaccionesListar({ client, query: { status: "SUCCESS", per_page: 5 } })
const { error: missing } = await transaccionesVer({ client, path: { id: 999_999 } })
const listed: ReadonlyArray<Transaccion> = list?.data.items ?? []
const { data: receipt } = await transaccionesRecibo({ client, path: { id: 1 } })
const { data: pdf } = await transaccionesRecibo({ client, path: { id: 1 }, query: { formato: "pdf" }, parseAs: "text" })
const bytes = String(pdf)
console.log(JSON.stringify({
  sold, refused, pending, isHeld: (balance?.data.saldo_retenido ?? 0) >= 100, listed: listed.length > 0,
  isReceipt: receipt?.data.transaction_id === 1 && bytes.startsWith("%PDF-"),
  isMissing: missing?.error.code === codes[0]
}))
`
  }
} as const

const compilerOptions = {
  strict: true,
  skipLibCheck: false,
  noUncheckedIndexedAccess: true,
  target: "es2022",
  lib: ["es2023", "dom", "dom.iterable"],
  types: [],
  module: "nodenext",
  rootDir: ".",
  outDir: "built"
}

/** Runs a program with this Node. */
const run = (args: ReadonlyArray<string>, cwd: string) => runProgram(process.execPath, args, cwd)

/** The clients and their programs. They are compiled outside the repository, with a link to the repository's packages. */
class BuiltClients extends Context.Service<BuiltClients, { readonly folder: string }>()("test/BuiltClients") {
  static readonly layer = Layer.effect(
    BuiltClients,
    Effect.gen(function* () {
      const folder = yield* temporaryDirectory
      const { text } = yield* call("/v1/openapi.json")
      symlinkSync(`${root}node_modules`, join(folder, "node_modules"))
      writeFileSync(join(folder, "openapi.json"), text)
      writeFileSync(join(folder, "withTypescript.mjs"), withTypescript)
      writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*/program.ts"] }))
      yield* Effect.forEach(
        Object.values(generators),
        ({ args, output, program }) => {
          mkdirSync(join(folder, output))
          writeFileSync(join(folder, output, "program.ts"), program)
          return run(["--import", "./withTypescript.mjs", ...args], folder)
        },
        { concurrency: "unbounded" }
      )
      yield* run([`${typescript}/bin/tsc`], folder)
      return { folder }
    })
  )
}

const Everything = Layer.provideMerge(BuiltClients.layer, TestService)

layer(Everything, { excludeTestServices: true, timeout: "60 seconds" })("a client that is generated", (it) => {
  it.effect.each(Object.keys(generators) as ReadonlyArray<keyof typeof generators>)(
    "by %s compiles under strict, sells, reads and narrows errors by code",
    (name) =>
      Effect.gen(function* () {
        const { url } = yield* ServiceAddress
        const { folder } = yield* BuiltClients
        const built = `built/${generators[name].output}/program.js`
        const { pending, sold, ...others } = JSON.parse(yield* run([built, url, `todo.${secret}`], folder))
        assert.strictEqual(sold.status, "SUCCESS")
        assert.match(pending, /^\/v1\/transacciones\/\d+$/)
        assert.deepStrictEqual(others, {
          refused: { code: "INVALID_PHONE", status: "FAILED" },
          isHeld: true,
          listed: true,
          isReceipt: true,
          isMissing: true
        })
      })
  )
})
