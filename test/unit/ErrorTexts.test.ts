import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { InsuranceState } from "../../core/domain/InsuranceState.ts"
import { errorTexts } from "../../facade/docs/ErrorTexts.ts"
import { causes } from "./support/Causes.ts"

const contractPage = readFileSync(new URL("../../docs/contract.md", import.meta.url), "utf8")

/** Facts that several codes carry, or the caller's own fields. */
const known = ["transaction_id", "xid", "status"]

describe("the page of a code", () => {
  it.each(
    causes
      .map(([, , code, details]) => [code, Object.keys(details ?? {}).filter((key) => !known.includes(key))] as const)
      .filter(([code, keys]) => code !== "VALIDATION_ERROR" && keys.length > 0)
  )("of %s says what %j are", (code, keys) => {
    const page = JSON.stringify(errorTexts[code as keyof typeof errorTexts])
    for (const key of keys) expect(page).toMatch(new RegExp(`\\b${key}\\b`))
  })

  it("of SEGURO_PASO_INVALIDO says what to do in every state", () => {
    const page = JSON.stringify(errorTexts.SEGURO_PASO_INVALIDO.action)
    for (const state of InsuranceState.literals) expect(page).toMatch(new RegExp(`\\b${state}\\b`))
  })

  // A code with several causes -> what is true of each, and of that one alone.
  it.each([
    ["OTP_BLOQUEADO", "meaning", ["5 códigos fallidos", "5 reenvíos", "el último código todavía abre"]],
    ["SERVICE_UNAVAILABLE", "money", ["se devolvió completo", "no se movió", "la venta sigue en SUCCESS y cobrada"]],
    ["TRANSACTION_PENDING", "money", ["queda retenido", "sigue cobrado"]],
    ["TRANSACTION_PENDING", "meaning", ["SUCCESS o en FAILED", "pasa a REVERSED", "se queda en SUCCESS"]],
    ["IDEMPOTENT_REQUEST_IN_PROGRESS", "meaning", ["con esta Idempotency-Key", "con otra clave"]]
  ] as const)("of %s says in its %s what holds for each cause", (code, part, facts) => {
    for (const fact of facts) expect(errorTexts[code][part]).toContain(fact)
  })

  it("of VALIDATION_ERROR has every reason that the contract lists", () => {
    const [, listed = ""] = /^Reason codes in `details` of VALIDATION_ERROR: ([^.]*)\./m.exec(contractPage) ?? []
    const reasons = [...listed.matchAll(/`([a-z\d_]+)`/g)].map(([, reason]) => reason)
    expect(reasons).toContain("incompleto")
    for (const reason of reasons) expect(errorTexts.VALIDATION_ERROR.meaning).toMatch(new RegExp(`\\b${reason}\\b`))
  })
})
