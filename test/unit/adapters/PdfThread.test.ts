import { readdirSync, readFileSync } from "node:fs"
import { platform } from "node:os"
import { assert, describe, it, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as PdfThread from "../../../adapters/pdf/PdfThread.ts"
import * as PolicyPdf from "../../../adapters/pdf/PolicyPdf.ts"
import * as ReceiptPdf from "../../../adapters/pdf/ReceiptPdf.ts"
import { DocumentsBusy } from "../../../core/domain/Errors.ts"
import { ReceiptRenderer } from "../../../core/ports/Renderers.ts"
import { documents, facts, receipt, render } from "../support/Documents.ts"

/** The priority of a thread of this process: 19 is the lowest. */
const priorityOf = (thread: string): number => {
  const stat = readFileSync(`/proc/self/task/${thread}/stat`, "utf8")
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16])
}

const pdfOf = (identifier: string) => ReceiptRenderer.use(({ pdf }) => pdf({ ...receipt, identifier }))

layer(PdfThread.layer, { excludeTestServices: true })("a document from another thread", (it) => {
  it.effect("has the same bytes as a document from this thread", () =>
    Effect.gen(function* () {
      const identifier = "ب12345 📱 8095551234"
      const here = yield* Effect.provide(pdfOf(identifier), ReceiptPdf.layer)
      assert.deepStrictEqual(yield* pdfOf(identifier), here)
      for (const kind of documents) {
        const policy = yield* Effect.provide(render(facts, kind), PolicyPdf.layer)
        assert.deepStrictEqual(yield* render(facts, kind), policy)
      }
    })
  )

  it.effect.skipIf(platform() !== "linux")("is rendered with a lower priority than the process has", () =>
    Effect.gen(function* () {
      yield* pdfOf("8095551234")
      const own = priorityOf(String(process.pid))
      const lower = readdirSync("/proc/self/task").filter((thread) => priorityOf(thread) === Math.min(own + 5, 19))
      assert.isNotEmpty(lower)
    })
  )
})

/** Runs a test with a thread that answers each job with the number of the job instead of a document. */
const onTestThread = <A, E>(test: Effect.Effect<A, E, ReceiptRenderer>) =>
  Effect.provide(test, Layer.fresh(PdfThread.layerOn(new URL("../support/RenderingThread.ts", import.meta.url))))

const numberOf = (identifier: string) => Effect.map(pdfOf(identifier), ([number]) => number)

describe("the thread that renders", () => {
  it.effect("renders a document once for all its callers", () =>
    onTestThread(
      Effect.gen(function* () {
        const first = yield* Effect.all([numberOf("a"), numberOf("b"), numberOf("a")], { concurrency: "unbounded" })
        assert.deepStrictEqual(first, [1, 2, 1])
        assert.strictEqual(yield* numberOf("a"), 1)
        yield* TestClock.adjust("6 minutes")
        assert.strictEqual(yield* numberOf("a"), 3)
      })
    )
  )

  it.effect.each([
    ["fails", "the font is broken"],
    ["ends", "the thread that renders ended with code 3"]
  ] as const)("is replaced if it %s, and only the document that it was rendering fails", ([identifier, message]) =>
    onTestThread(
      Effect.gen(function* () {
        assert.strictEqual(yield* numberOf("a"), 1)
        const [crashed, next] = yield* Effect.all([Effect.exit(pdfOf(identifier)), numberOf("b")], {
          concurrency: "unbounded"
        })
        assert.include(Exit.isFailure(crashed) ? Cause.pretty(crashed.cause) : "", message)
        assert.strictEqual(next, 1)
        // A failure is not cached.
        assert.isTrue(Exit.isFailure(yield* Effect.exit(pdfOf(identifier))))
        assert.strictEqual(yield* numberOf("c"), 1)
      })
    )
  )

  it.effect("is replaced if a document takes longer than 30 seconds", () =>
    onTestThread(
      Effect.gen(function* () {
        const hanging = yield* Effect.forkChild(Effect.exit(pdfOf("hangs")))
        const next = yield* Effect.forkChild(numberOf("a"))
        yield* TestClock.adjust("31 seconds")
        assert.isTrue(Exit.isFailure(yield* Fiber.join(hanging)))
        assert.strictEqual(yield* Fiber.join(next), 1)
      })
    )
  )

  it.effect("refuses a document if 128 others wait, and renders the others", () =>
    onTestThread(
      Effect.gen(function* () {
        const hanging = yield* Effect.forkChild(Effect.exit(pdfOf("hangs")))
        yield* Effect.yieldNow
        const waiting = yield* Effect.forEach(
          Array.from({ length: 128 }, (_, index) => `${index}`),
          (identifier) => Effect.forkChild(numberOf(identifier))
        )
        yield* Effect.yieldNow
        assert.deepStrictEqual(yield* Effect.flip(pdfOf("more")), new DocumentsBusy())
        yield* TestClock.adjust("31 seconds")
        yield* Fiber.join(hanging)
        const numbers = yield* Effect.forEach(waiting, Fiber.join)
        assert.deepStrictEqual(
          numbers,
          Array.from({ length: 128 }, (_, index) => index + 1)
        )
        assert.strictEqual(yield* numberOf("more"), 129)
      })
    )
  )

  it.effect("does not render a document after its only caller was interrupted", () =>
    onTestThread(
      Effect.gen(function* () {
        const hanging = yield* Effect.forkChild(Effect.exit(pdfOf("hangs")))
        yield* Effect.yieldNow
        const abandoned = yield* Effect.forkChild(pdfOf("a"))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(abandoned)
        yield* TestClock.adjust("31 seconds")
        yield* Fiber.join(hanging)
        assert.strictEqual(yield* numberOf("b"), 1)
      })
    )
  )

  it.effect("ends when the scope of its layer closes", () =>
    Effect.gen(function* () {
      const threads = () => (process.report.getReport() as { workers: ReadonlyArray<unknown> }).workers.length
      const before = threads()
      yield* onTestThread(Effect.andThen(numberOf("a"), () => Effect.sync(() => assert.isAbove(threads(), before))))
      assert.strictEqual(threads(), before)
    })
  )
})
