import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

// The suite starts about two hundred processes. They share compiled code through this cache.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url))

/**
 * The slowest test files, in the order in which they start. If they started last, one worker would still run while the
 * others are idle.
 */
const longest = [
  "crash/crash",
  "process/operations/image",
  "simulation/",
  "contract/documentation/browser",
  "console/",
  "process/start",
  "fuzz/",
  "client/package",
  "process/",
  "postgres/",
  "cells/",
  "bench/"
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
    // A worker waits for Postgres or a child process half of the time, so four workers fit on two cores.
    maxWorkers: 4,
    // Loading all modules anew for each file would take a quarter of the suite's time. Sharing them is safe, because
    // modules hold no state: everything that outlives a call is in a layer.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    globalSetup: ["test/support/PostgresServer.ts"],
    // Long timeouts, because Postgres and the tests share two cores, and a slow test is not a failure.
    testTimeout: 180_000,
    hookTimeout: 180_000
  }
})
