import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { partsOf } from "../../../facade/docs/GuidePage.ts"
import { loadGuidePrograms } from "../../../facade/docs/Programs.ts"
import { ServiceAddress } from "../../support/InProcessService.ts"
import { faultyProxy } from "../../support/service/FaultyProxy.ts"
import { call } from "../../support/service/HttpCalls.ts"
import { insuranceCompany } from "../../support/service/InsuranceCalls.ts"
import { TestServer } from "../../support/service/TestServer.ts"

const programAt = (file: string) => fileURLToPath(new URL(`../../../facade/docs/programs/${file}`, import.meta.url))

/** The languages that the suite can run, and the interpreters that they need. */
const runnable = [
  { language: "curl", needs: ["curl", "sh"], command: ["sh", programAt("guia.sh")] },
  { language: "JavaScript", needs: [process.execPath], command: [process.execPath, programAt("guia.mjs")] },
  { language: "Python", needs: ["python3"], command: ["python3", programAt("guia.py")] },
  { language: "PHP", needs: ["php"], command: ["php", programAt("guia.php")] }
] as const

// Looks for each interpreter instead of starting it with --version, because not every `sh` has this option.
const isInstalled = (needs: ReadonlyArray<string>): boolean =>
  needs.every((name) => spawnSync("sh", ["-c", `command -v "${name}"`]).status === 0)

const printed = [
  "ambiente: development",
  "disponible: 50000",
  "servicio: 1",
  "venta: SUCCESS",
  "repetida: true",
  "estado HTTP: 202",
  "pendiente: PENDING",
  "error: 422 VALIDATION_ERROR",
  "comprobante: true application/pdf",
  "anulacion: REVERSED",
  "poliza: SUCCESS",
  "webhook: activo",
  "limite: 1000000"
]

/** Runs a program in a separate folder. Returns the lines that it printed, and the files that it left. */
const run = ([file, ...args]: ReadonlyArray<string>, env: Record<string, string>) =>
  Effect.promise(
    () =>
      new Promise<{
        readonly lines: ReadonlyArray<string>
        readonly files: ReadonlyArray<string>
        readonly log: string
      }>((resolve) => {
        const folder = mkdtempSync(join(tmpdir(), "saldo-guide-"))
        const child = spawn(file ?? "", args, { cwd: folder, env: { ...process.env, ...env } })
        const texts = { out: "", log: "" }
        child.stdout.on("data", (data) => {
          texts.out += data
        })
        child.stderr.on("data", (data) => {
          texts.log += data
        })
        child.on("close", () => {
          const files = readdirSync(folder)
          rmSync(folder, { recursive: true })
          resolve({ lines: texts.out.trim().split("\n"), files, log: texts.log })
        })
      })
  )

layer(TestServer, { excludeTestServices: true })("the guide", (it) => {
  describe.each(runnable)("in $language", ({ command, needs }) => {
    const runAt = Effect.fnUntraced(function* (url: string) {
      const { auth } = yield* insuranceCompany({ money: 50_000 })
      const token = auth.authorization.slice("Bearer ".length)
      return yield* run(command, { SALDO: url, TOKEN: token, PAUSA_S: "0" })
    })

    it.effect.skipIf(!isInstalled(needs))("runs as one program, from the account to the limits", () =>
      Effect.gen(function* () {
        const { files, lines, log } = yield* runAt((yield* ServiceAddress).url)
        assert.deepStrictEqual(lines, printed, log)
        assert.includeMembers([...files], ["comprobante.pdf", "poliza.pdf"])
      })
    )

    it.effect.skipIf(!isInstalled(needs))(
      "repeats a sale after an error page of a proxy and after a lost response",
      () =>
        Effect.gen(function* () {
          const { plan, seen, url } = yield* faultyProxy
          // The first four requests succeed: three read the account, the balance and the catalogue, and the fourth sells.
          plan(undefined, undefined, undefined, undefined, "unavailable", "lost response")
          const { lines, log } = yield* runAt(url)
          assert.deepStrictEqual(lines, printed, log)
          const [sale, ...repeated] = seen.slice(3, 7)
          assert.strictEqual(sale?.path, "/v1/recargas")
          assert.deepStrictEqual(repeated, [sale, sale, sale])
        })
    )
  })

  it.effect("has each step in each language, and each step as a section of the page", () =>
    Effect.gen(function* () {
      const programs = yield* loadGuidePrograms
      const [first, ...others] = programs.map((program) => [...partsOf(program).keys()].filter((id) => id !== "fin"))
      assert.isAbove(first?.length ?? 0, 10)
      for (const steps of others) assert.deepStrictEqual(steps, first)
      const { headers, status, text } = yield* call("/docs/guia")
      assert.deepStrictEqual([status, headers.get("content-type")], [200, "text/html; charset=utf-8"])
      for (const id of [...(first ?? []), "produccion"]) {
        assert.include(text, `<h2 id="${id}">`)
        assert.include(text, `<a href="#${id}">`)
      }
    })
  )
})
