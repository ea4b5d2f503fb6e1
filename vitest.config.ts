import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

// The suite starts some two hundred processes, and what one of them compiled the others need not.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url))

/** What takes longest, by far. Begun last, it would keep one worker busy while the others have nothing left. */
const longest = [
  "process/operations/image",
  "simulation/sql",
  "crash/crash",
  "simulation/memory",
  "process/start",
  "fuzz/",
  "process/",
  "postgres/races"
]

class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = longest.findIndex((part) => moduleId.includes(`/test/${part}`))
      return found === -1 ? longest.length : found
    }
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // A worker waits for Postgres half of its time.
    maxWorkers: 3,
    // Loading the project and its libraries anew for each file took a quarter of the suite. Tests share no state but a
    // worker's modules, and those keep none: what lives longer than a call is in a layer.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    globalSetup: ["test/support/PostgresServer.ts"],
    // A machine of two cores with a Postgres beside the tests: slow is not wrong.
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
