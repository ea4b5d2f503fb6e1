import fc from "fast-check"
import type { Operation } from "../document/Operations.ts"
import { basis, batchOf, type Cue, stepOf } from "./Cue.ts"
import type { Basis, Step } from "./Step.ts"

/** Requests, each made of what the ones before it were answered. */
export type Story = ReadonlyArray<Step>

/** How often each of the callers comes. Those who are not named come once. */
const often: Readonly<Record<string, number>> = { main: 120, mainByPair: 5, poor: 6, limited: 6, producing: 5 }

const anyOf = (callers: ReadonlyArray<string>): fc.Arbitrary<string> =>
  fc.oneof(...callers.map((name) => ({ weight: often[name] ?? 1, arbitrary: fc.constant(name) })))

const protagonists = fc.oneof(
  { weight: 12, arbitrary: fc.constant("main") },
  { weight: 3, arbitrary: fc.constantFrom("poor", "limited", "producing") }
)

const flow = (name: string) => ({ where: { flujo: `"${name}"` } })
const ofFlow = (name: string) => basis("service", flow(name))
const reversible = basis("service", { where: { acepta_anulacion: "true" } })
const none = fc.constant(null)

type About = fc.Arbitrary<Basis | null>
type Line = readonly [operation: string, basis: About]

const sale = basis("sale")
const insurance = basis("insurance")

const sell: ReadonlyArray<Line> = [
  ["recargasCrear", ofFlow("monto_libre")],
  ["transaccionesVer", sale],
  ["transaccionesRecibo", sale],
  ["transaccionesListar", sale],
  ["recargasCrear", basis("sale", { withKey: true })],
  ["movimientosListar", none],
  ["cuentaSaldo", none]
]

const reverse: ReadonlyArray<Line> = [
  ["recargasCrear", reversible],
  ["transaccionesAnular", sale],
  ["transaccionesAnular", sale],
  ["transaccionesVer", sale],
  ["transaccionesRecibo", sale]
]

const choose = (name: string): ReadonlyArray<Line> => [
  ["consultasCrear", ofFlow(name)],
  ["recargasCrear", basis("option")],
  ["recargasCrear", basis("option")],
  ["transaccionesRecibo", sale]
]

const insure: ReadonlyArray<Line> = [
  ["segurosDisponible", none],
  ["segurosIniciar", ofFlow("seguros")],
  ["segurosReenviar", insurance],
  ["segurosVerificar", insurance],
  ["segurosPlanes", insurance],
  ["segurosElegirPlan", insurance],
  ["segurosCotizar", insurance],
  ["segurosVer", insurance],
  ["recargasCrear", insurance],
  ["segurosDocumento", insurance],
  ["segurosVer", insurance],
  ["recargasCrear", insurance],
  ["transaccionesRecibo", sale]
]

/** What an operation may sensibly be about, when nothing leads up to it. */
const aboutOf = ({ name, path }: Operation): About => {
  if (/^\/v1\/(seguros|insurance)\/\{/.test(path)) return insurance
  if (/^\/v1\/(transacciones|transactions)/.test(path)) return sale
  if (name === "segurosIniciar") return ofFlow("seguros")
  if (name === "recargasCrear")
    return fc.oneof(ofFlow("monto_libre"), basis("option"), insurance, basis("sale", { withKey: true }))
  return fc.oneof({ weight: 1, arbitrary: none }, { weight: 3, arbitrary: basis("service") })
}

// One in so many lines is left out, so that steps are out of order too, and a story shrinks to what it needs.
const keptOf = 14

/** Stories by callers of these names, at every operation. */
export const storyOf = (operations: ReadonlyArray<Operation>, callers: ReadonlyArray<string>): fc.Arbitrary<Story> => {
  const anybody = anyOf(callers)
  const named = Map.groupBy(operations, ({ name }) => name)

  const told = (lines: ReadonlyArray<Line>): fc.Arbitrary<Story> =>
    protagonists.chain((protagonist) => {
      const caller = fc.oneof({ weight: 20, arbitrary: fc.constant(protagonist) }, { weight: 1, arbitrary: anybody })
      const steps = lines.map(([name, about]) =>
        fc.option(stepOf({ operations: named.get(name) ?? [], basis: about, caller, wrong: 0.12 }), {
          freq: keptOf,
          nil: undefined
        })
      )
      return fc.tuple(...steps).map((all) => all.filter((step) => step !== undefined))
    })

  const alone = operations.map(
    (operation): Cue => ({
      operations: [operation],
      basis: aboutOf(operation),
      caller: anybody,
      wrong: 0.8
    })
  )
  const batches = ["GET", "POST"].map((method) => batchOf(method, alone, anybody))
  const chaos = fc.array(fc.oneof(...alone.map(stepOf)), { minLength: 1, maxLength: 6 })
  return fc.oneof(
    { weight: 12, arbitrary: chaos },
    { weight: 1, arbitrary: fc.array(fc.oneof(...batches), { minLength: 1, maxLength: 2 }) },
    { weight: 2, arbitrary: told(sell) },
    { weight: 2, arbitrary: told(reverse) },
    { weight: 1, arbitrary: fc.constantFrom("paquetes", "facturas").chain((name) => told(choose(name))) },
    { weight: 3, arbitrary: told(insure) }
  )
}
