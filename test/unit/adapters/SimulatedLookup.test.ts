import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { exampleLookup, simulatedProvider } from "../../../adapters/provider/SimulatedProvider.ts"
import { Identifier } from "../../../core/domain/Ids.ts"
import { LookupAnswer } from "../../../core/domain/Lookup.ts"
import type { Service } from "../../../core/domain/Service.ts"
import { billService, packageService, packages, service } from "../../support/Examples.ts"

const shelf: Readonly<Record<"paquetes" | "facturas" | "monto_libre", Service>> = {
  paquetes: packageService,
  facturas: billService,
  monto_libre: service
}

const ask = (flow: keyof typeof shelf, identifier: string) =>
  simulatedProvider.lookup({
    service: shelf[flow],
    identifier: Identifier.make(identifier),
    packages: flow === "paquetes" ? packages : []
  })

const holder = "Cliente de Prueba"

/** A lookup result in short: the names of its offers. */
const told = LookupAnswer.$match({
  Found: ({ found }) => [found.holder, found.offers.map(({ name }) => name)],
  NoSuchIdentifier: () => "no such identifier",
  NoAnswer: () => "no answer"
})

describe("a lookup in the simulator", () => {
  it.effect.each([
    // service, identifier -> result
    ["paquetes", "8095551230", "no such identifier"],
    ["paquetes", "8095551231", [null, []]],
    ["paquetes", "8095551232", "no answer"],
    ["paquetes", "8095551234", [null, ["Paquete 1", "Paquete 2"]]],
    ["paquetes", "809-555-1234", "no such identifier"],
    ["paquetes", "809-555-1232", "no such identifier"],
    ["facturas", "NIC-0", "no such identifier"],
    ["facturas", "NIC-1", [holder, []]],
    ["facturas", "NIC-2", "no answer"],
    ["facturas", "NIC-3", [holder, ["Factura de diciembre de 2025", "Factura de enero de 2026"]]],
    ["monto_libre", "8095551230", "no such identifier"],
    ["monto_libre", "8095551231", [holder, []]],
    ["monto_libre", "8095551232", "no answer"],
    ["monto_libre", "8095551234", [holder, []]],
    ["monto_libre", "+18095551234", "no such identifier"]
  ] as ReadonlyArray<readonly [keyof typeof shelf, string, unknown]>)(
    "in the service %s returns the example that the identifier %s determines",
    ([flow, identifier, expected]) =>
      Effect.gen(function* () {
        // This instant is still in January in local time.
        yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe("2026-02-01T03:59:59.999Z")))
        assert.deepStrictEqual(told(yield* ask(flow, identifier)), expected)
      })
  )

  it.effect("uses the catalogue code of a package as its reference, and omits packages that share a code", () =>
    Effect.gen(function* () {
      const [first, second] = packages
      if (first === undefined || second === undefined) return assert.fail("no packages")
      const namesOf = (shelved: typeof packages) =>
        Effect.map(
          exampleLookup({ service: packageService, identifier: Identifier.make("8095551230"), packages: shelved }),
          (answer) =>
            LookupAnswer.$is("Found")(answer)
              ? answer.found.offers.map(({ reference }) => reference)
              : assert.fail(answer._tag)
        )
      assert.deepStrictEqual(yield* namesOf(packages), ["P1", "P2"])
      const namesake = { ...second, id: 3, code: first.code }
      assert.deepStrictEqual(yield* namesOf([first, second, namesake]), ["P2"])
    })
  )

  it.effect("puts the month into the reference of a bill, and keeps the price of a bill a month later", () =>
    Effect.gen(function* () {
      const billsAt = Effect.fnUntraced(function* (instant: string) {
        yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe(instant)))
        const answer = yield* ask("facturas", "NIC-3")
        return LookupAnswer.$is("Found")(answer) ? answer.found.offers : assert.fail(answer._tag)
      })
      const [, january] = yield* billsAt("2026-01-31T12:00:00Z")
      const [again, february] = yield* billsAt("2026-02-28T12:00:00Z")
      assert.deepStrictEqual(again, january)
      assert.deepStrictEqual([january?.reference, february?.reference], ["ejemplo-2026-01", "ejemplo-2026-02"])
      assert.notStrictEqual(january?.price, february?.price)
    })
  )
})
