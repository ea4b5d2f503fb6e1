import { assert, describe, it } from "@effect/vitest"
import { neverSucceeded } from "./invariants/Coverage.ts"

describe("what was seen of the document", () => {
  it("wants every success, and no failure", () => {
    const sold = { door: "POST /v1/recargas", requests: 2, seen: [201, 422], never: [202, 409] }
    const asked = { door: "GET /v1/saldo", requests: 1, seen: [200], never: [401] }
    assert.deepStrictEqual(neverSucceeded([sold, asked]), ["POST /v1/recargas was never answered with 202"])
  })
})
