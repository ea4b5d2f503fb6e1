import { assert, describe, it } from "@effect/vitest"
import * as Database from "../../../adapters/postgres/connection/Database.ts"
import { isUnreachable } from "../../../adapters/postgres/connection/SqlFailure.ts"

const failed = (code: string, syscall?: string) => ({
  reason: { cause: Object.assign(new Error(code), { code, syscall }) }
})

describe("an error of a database server", () => {
  it.each([
    ["refuses the connection", failed("ECONNREFUSED", "connect"), true],
    ["refuses the connection at each of its addresses", failed("ECONNREFUSED"), true],
    ["has a name without an address", failed("ENOTFOUND", "getaddrinfo"), true],
    ["does not answer the attempt to connect", failed("ETIMEDOUT", "connect"), true],
    ["is still starting", failed("57P03"), true],
    ["allows no connections to the database", failed("55000"), true],
    [
      "did not answer while the pool connected",
      new Database.DatabaseUnavailable({ message: "no answer", answers: false }),
      true
    ],
    ["goes silent on an open connection", failed("ETIMEDOUT", "read"), false],
    ["became unreachable on an open connection", failed("EHOSTUNREACH", "read"), false],
    ["breaks an open connection", failed("ECONNRESET", "read"), false],
    ["stops during a statement", failed("57P01"), false],
    ["refuses a write", failed("23505"), false]
  ] as const)("that %s tells whether the statement was certainly not sent", (_, error, wasNotSent) => {
    assert.strictEqual(isUnreachable(error), wasNotSent)
  })
})
