import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // A worker waits for Postgres half of its time.
    maxWorkers: 3,
    globalSetup: ["test/support/PostgresServer.ts"],
    // A machine of two cores with a Postgres beside the tests: slow is not wrong.
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
