import { Option, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { isSameOperator, may, OperatorAction, OperatorName, Role } from "../../../core/domain/Operator.ts"

describe("a role", () => {
  // Action -> whether the roles lector, cajero, supervisor and admin may take this action.
  const table: ReadonlyArray<readonly [OperatorAction, ReadonlyArray<boolean>]> = [
    ["read", [true, true, true, true]],
    ["deposit", [false, true, true, true]],
    ["propose", [false, false, true, true]],
    ["confirm", [false, false, true, true]],
    ["limits", [false, false, true, true]],
    ["webhook", [false, false, true, true]],
    ["case", [false, false, true, true]],
    ["company", [false, false, false, true]],
    ["token", [false, false, false, true]],
    ["catalogue", [false, false, false, true]],
    ["cell", [false, false, false, true]],
    ["operator", [false, false, false, true]]
  ]
  it("has a row in the table for every action", () => {
    expect(table.map(([action]) => action).sort()).toEqual([...OperatorAction.literals].sort())
  })

  it.each(table)("may take the action %s, for lector, cajero, supervisor and admin: %j", (action, allowed) => {
    expect(Role.literals.map((role) => may(role, action))).toEqual(allowed)
  })
})

describe("an operator's name", () => {
  const read = Schema.decodeOption(OperatorName)

  it.each(["Ana", "José Peña", "turno-1", "D'Óleo", "M. Núñez", "7", "a".repeat(80)])("may be %j", (name) => {
    expect(Option.getOrNull(read(name))).toBe(name)
  })

  it.each([
    "",
    " Ana",
    "Ana ",
    "Ana  María",
    "-Ana",
    "a".repeat(81),
    "Ana\u0430", // Cyrillic letter a.
    "Ana\u2800",
    "Ana\u200b",
    "Jose\u0301",
    "turno\u20131",
    "ana@example.com",
    "Ana\n",
    "local",
    "Server"
  ])("may not be %j", (name) => {
    expect(Option.isNone(read(name))).toBe(true)
  })

  // Two names -> whether they belong to the same operator.
  it.each([
    ["turno-1", "turno-1", true],
    ["turno-1", "Turno-1", true],
    ["turno-1", " turno-1 ", true],
    ["turno-1", "turno-1\u00a0", true],
    ["turno-1", "ｔｕｒｎｏ-１", true],
    ["Jos\u00e9", "jose\u0301", true],
    ["turno-1", "turno-2", false],
    ["Ana  María", "Ana María", true],
    ["Ana\u200b María", "ana mari\u0301a", true],
    ["Ana", "Ana\u3164", true],
    ["Ana", "A\ufe0fna", true],
    ["turno-1", "TURNO\u20131", true],
    ["José", "José\u2800", true],
    ["Ana", "Anna", false]
  ])("%j is the same operator as %j: %s", (left, right, same) => {
    expect(isSameOperator(left, right)).toBe(same)
  })
})
