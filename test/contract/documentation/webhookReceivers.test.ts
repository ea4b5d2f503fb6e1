import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Webhook } from "standardwebhooks"
import { webhookSecretOf } from "../../../core/domain/Webhook.ts"
import { freePort } from "../../fakes/LocalServer.ts"
import { temporaryDirectory } from "../../support/FirstStart.ts"

const programAt = (file: string) => fileURLToPath(new URL(`../../../facade/docs/programs/${file}`, import.meta.url))

/** A program of the page, and how to start it. */
interface Language {
  readonly language: string
  /** The interpreters and compilers that it needs. */
  readonly needs: ReadonlyArray<string>
  /** The command that starts the program. The function may first write files into the folder. */
  readonly command: (port: number, folder: string) => readonly [string, ...ReadonlyArray<string>]
}

const languages: ReadonlyArray<Language> = [
  { language: "Node", needs: [process.execPath], command: () => [process.execPath, programAt("receptor.mjs")] },
  { language: "Python", needs: ["python3"], command: () => ["python3", programAt("receptor.py")] },
  {
    language: "PHP",
    needs: ["php"],
    command: (port) => ["php", "-S", `127.0.0.1:${port}`, programAt("receptor.php")]
  },
  {
    language: "C#",
    needs: ["mcs", "mono"],
    command: (_port, folder) => {
      const program = join(folder, "Receptor.exe")
      execFileSync("mcs", [`-out:${program}`, programAt("Receptor.cs")])
      return ["mono", program]
    }
  }
]

/** Whether a program can run here. Warns if it cannot. */
const isInstalled = ({ language, needs }: Language): boolean => {
  const missing = needs.filter((name) => spawnSync(name, ["--version"]).status !== 0)
  if (missing.length > 0) console.warn(`The receiver in ${language} is not tested, without ${missing.join(" and ")}.`)
  return missing.length === 0
}

const secretOf = (byte: number): string => webhookSecretOf(new Uint8Array(32).fill(byte))
const secret = secretOf(1)

/** Starts a program with the secret. It stops with the scope. */
const started = ({ command }: Language) =>
  Effect.gen(function* () {
    const port = yield* freePort
    const [file, ...args] = command(port, yield* temporaryDirectory)
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(file, args, {
          env: { ...process.env, PORT: String(port), SALDO_WEBHOOK_SECRETO: secret },
          stdio: ["ignore", "pipe", "pipe"]
        })
      ),
      (running) =>
        Effect.promise(async () => {
          const gone = once(running, "exit")
          running.kill()
          await gone
        })
    )
    // Each program prints its address when it listens. PHP prints to stderr, the other programs to stdout.
    yield* Effect.promise(() => Promise.race([once(child.stdout, "data"), once(child.stderr, "data")]))
    child.stdout.resume()
    child.stderr.resume()
    return `http://127.0.0.1:${port}/`
  })

class Receiving extends Context.Service<Receiving, string>()("test/Receiving") {}

interface Delivery {
  readonly id: string
  readonly body: string
  readonly timestamp_s: number
  readonly signatures: string
}

const signatureOf = ({ body, id, timestamp_s }: Omit<Delivery, "signatures">, by = secret): string =>
  new Webhook(by).sign(id, new Date(timestamp_s * 1000), body)

/** A signed delivery, sent this many seconds ago. */
const delivery = (age_s = 0, body = '{"id":"evt_1_1","type":"webhook.test"}'): Delivery => {
  // The programs compare the timestamp with the clock of the machine.
  const sent = { id: "evt_1_1", body, timestamp_s: Math.floor(Date.now() / 1000) - age_s }
  return { ...sent, signatures: signatureOf(sent) }
}

const wrong = (sent: Delivery): string => signatureOf(sent, secretOf(2))

const accented = '{"id":"evt_1_1","type":"webhook.test","data":{"nombre":"Ñandú 🇩🇴 €"}}'
const escaped = accented.replace("Ñ", "\\u00d1")

const tolerance_s = 5 * 60

// The status of the response, what the delivery has, and the delivery.
const cases: ReadonlyArray<readonly [status: number, what: string, send: () => Delivery]> = [
  [204, "a correct signature", delivery],
  [204, "a body in UTF-8", () => delivery(0, accented)],
  [
    204,
    "the correct signature before a wrong one",
    () => withSignatures((sent) => `${sent.signatures} ${wrong(sent)}`)
  ],
  [204, "the correct signature after a wrong one", () => withSignatures((sent) => `${wrong(sent)} ${sent.signatures}`)],
  [204, "an additional signature of an unknown version", () => withSignatures((sent) => `v9,AAAA ${sent.signatures}`)],
  [401, "a signature by another secret", () => withSignatures(wrong)],
  [401, "two signatures by other secrets", () => withSignatures((sent) => `${wrong(sent)} ${wrong(sent)}`)],
  [401, "no signature", () => withSignatures(() => "")],
  [401, "half a signature", () => withSignatures((sent) => sent.signatures.slice(0, 20))],
  [401, "the signature with another version", () => withSignatures((sent) => sent.signatures.replace("v1", "v2"))],
  [401, "a changed body", () => ({ ...delivery(), body: '{"id":"evt_1_1","type":"webhook.Test"}' })],
  [401, "a body that was parsed and written again", () => ({ ...delivery(0, accented), body: escaped })],
  [401, "another id", () => ({ ...delivery(), id: "evt_1_2" })],
  [401, "another timestamp", () => ({ ...delivery(), timestamp_s: delivery().timestamp_s - 1 })],
  [204, "a timestamp within the tolerance", () => delivery(tolerance_s - 30)],
  [401, "an old timestamp", () => delivery(tolerance_s + 30)],
  [401, "a timestamp in the future", () => delivery(-tolerance_s - 30)],
  [401, "a timestamp that is no number", () => ({ ...delivery(), timestamp_s: Number.NaN })]
]

function withSignatures(change: (sent: Delivery) => string): Delivery {
  const sent = delivery()
  return { ...sent, signatures: change(sent) }
}

for (const program of languages) {
  describe.skipIf(!isInstalled(program))(`the receiver in ${program.language} of the page of webhooks`, () => {
    layer(Layer.effect(Receiving, started(program)), { excludeTestServices: true, timeout: "1 minute" })((it) => {
      it.effect.each(cases)("answers %i to a delivery with %s", ([status, , send]) =>
        Effect.gen(function* () {
          const url = yield* Receiving
          const { body, id, signatures, timestamp_s } = send()
          const headers = {
            "content-type": "application/json",
            "webhook-id": id,
            "webhook-timestamp": String(timestamp_s),
            "webhook-signature": signatures
          }
          const answer = yield* Effect.promise(() => fetch(url, { method: "POST", headers, body }))
          assert.strictEqual(answer.status, status)
        })
      )

      it.effect("answers 401 to a delivery without headers", () =>
        Effect.gen(function* () {
          const url = yield* Receiving
          const answer = yield* Effect.promise(() => fetch(url, { method: "POST", body: "{}" }))
          assert.strictEqual(answer.status, 401)
        })
      )
    })
  })
}
