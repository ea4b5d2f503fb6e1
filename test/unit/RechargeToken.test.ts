import { describe, expect, it } from "@effect/vitest"
import { lacksRechargeToken, readRechargeToken, rechargeTokenForm } from "../../core/domain/RechargeToken.ts"
import { ServiceType } from "../../core/domain/Service.ts"

const token = "1234 5678 9012 3456 7890"

describe("a recharge token", () => {
  it.each([
    [token, token],
    ["12345678901234567890", token],
    ["1234-5678-9012-3456-7890", token],
    [" 12345 67890 12345 67890 ", token],
    ["1234 5678 9012 3456 789", null],
    ["1234 5678 9012 3456 78901", null],
    ["1234 5678 9012 3456 789O", null],
    ["", null]
  ])("is read from %j as %j, in the form in which it is printed", (typed, read) => {
    expect(readRechargeToken(typed)).toBe(read)
    if (read !== null) expect(read).toMatch(rechargeTokenForm)
  })

  it("is missed of electricity alone", () => {
    expect(ServiceType.literals.filter((type) => lacksRechargeToken(type, null))).toEqual(["electricity_prepaid"])
    expect(ServiceType.literals.filter((type) => lacksRechargeToken(type, token))).toEqual([])
  })
})
