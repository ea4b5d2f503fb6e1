import { assert, it } from "@effect/vitest"
import { Effect, Sink, Stdio } from "effect"
import { TestClock } from "effect/testing"
import { ReportProgress } from "../../../core/ports/Progress.ts"
import { formatProgress, withProgress } from "../../../facade/cli/terminal/Progress.ts"

/** A terminal, or a pipe, that keeps what is written to stderr. */
const stderrOf = (isTerminal: boolean, isPrintingThere = false) => {
  const written: Array<string> = []
  const keep = (text: string | Uint8Array) => Effect.sync(() => void written.push(String(text)))
  const stdio = Stdio.layerTest({
    stderrIsTerminal: Effect.succeed(isTerminal),
    stdoutIsTerminal: Effect.succeed(isPrintingThere),
    stderr: () => Sink.forEach(keep)
  })
  return { written, stdio }
}

/** A command that works for ten seconds on ten parts. */
const work = Effect.gen(function* () {
  const report = yield* ReportProgress
  for (let part = 0; part <= 10; part++) {
    yield* report(part, 10)
    if (part < 10) yield* TestClock.adjust("1 second")
  }
}).pipe(withProgress("reading"))

it.effect("a command shows progress and remaining time on one line of a terminal, and then clears this line", () => {
  const { stdio, written } = stderrOf(true)
  return Effect.gen(function* () {
    yield* work
    const lines = written.map((text) => text.replace("\r\u001b[K", ""))
    assert.deepStrictEqual(
      [lines[0], lines[4], lines[10], lines[11]],
      ["  0 %  reading", " 40 %  reading, about 6 s left", "100 %  reading, finishing", ""]
    )
    assert.isTrue(written.every((text) => text.startsWith("\r\u001b[K") && !text.includes("\n")))
  }).pipe(Effect.provide(stdio))
})

it.effect("a command writes no progress if stderr is not a terminal", () => {
  const { stdio, written } = stderrOf(false)
  return Effect.gen(function* () {
    yield* work
    assert.deepStrictEqual(written, [])
  }).pipe(Effect.provide(stdio))
})

it.effect("a command writes no progress between rows that it prints on the same terminal", () => {
  const printing = Effect.flatMap(ReportProgress, (report) => report(5, null)).pipe(
    withProgress("printing rows", { isPrinting: true })
  )
  const [same, other] = [stderrOf(true, true), stderrOf(true)]
  return Effect.gen(function* () {
    yield* Effect.provide(printing, same.stdio)
    yield* Effect.provide(printing, other.stdio)
    assert.deepStrictEqual([same.written, other.written.length], [[], 2])
  })
})

it.effect("a command changes the progress line at most five times a second", () => {
  const { stdio, written } = stderrOf(true)
  return Effect.gen(function* () {
    yield* Effect.flatMap(ReportProgress, (report) =>
      Effect.forEach(
        Array.from({ length: 100 }, (_, n) => n),
        (n) => Effect.andThen(report(n, 100), TestClock.adjust("20 millis"))
      )
    ).pipe(withProgress("reading"))
    assert.strictEqual(written.length, 10 + 1)
  }).pipe(Effect.provide(stdio))
})

it.effect.each([
  [0, 0, "  0 %  reading"],
  [1, 500, "  1 %  reading"],
  [1, 2_000, "  1 %  reading, about 3 min left"],
  [50, 60_000, " 50 %  reading, about 60 s left"],
  [100, 60_000, "100 %  reading, finishing"]
] as const)("formats the progress of %i of 100 parts after %i ms", ([done, passed_ms, line]) =>
  Effect.sync(() => assert.strictEqual(formatProgress("reading", done, 100, passed_ms), line))
)

it.effect("formats the progress as a count if the total is unknown", () =>
  Effect.sync(() => assert.strictEqual(formatProgress("printing rows", 12_300, null, 9_000), "printing rows: 12,300"))
)
