import fc from "fast-check"
import type { Operation } from "../request/Operations.ts"
import type { ScenarioStep, StepSubject } from "./ScenarioStep.ts"
import { generateBatch, generateStep, type StepGenerator, subjectOf } from "./StepGenerator.ts"

/** Requests, each made of what the ones before it were answered. */
export type Scenario = ReadonlyArray<ScenarioStep>

/** How often each of the callers comes. Those who are not named come once. */
const callerWeights: Readonly<Record<string, number>> = { main: 120, mainByPair: 5, poor: 6, limited: 6, producing: 5 }

const weightedCaller = (callers: ReadonlyArray<string>): fc.Arbitrary<string> =>
  fc.oneof(...callers.map((name) => ({ weight: callerWeights[name] ?? 1, arbitrary: fc.constant(name) })))

const protagonists = fc.oneof(
  { weight: 12, arbitrary: fc.constant("main") },
  { weight: 3, arbitrary: fc.constantFrom("poor", "limited", "producing") }
)

const flow = (name: string) => ({ where: { flujo: `"${name}"` } })
const ofFlow = (name: string) => subjectOf("service", flow(name))
const reversible = subjectOf("service", { where: { acepta_anulacion: "true" } })
const noSubject = fc.constant(null)

type SubjectGenerator = fc.Arbitrary<StepSubject | null>
type ScenarioLine = readonly [operation: string, basis: SubjectGenerator]

const sale = subjectOf("sale")
const insurance = subjectOf("insurance")

const sell: ReadonlyArray<ScenarioLine> = [
  ["recargasCrear", ofFlow("monto_libre")],
  ["transaccionesVer", sale],
  ["transaccionesRecibo", sale],
  ["transaccionesListar", sale],
  ["recargasCrear", subjectOf("sale", { withKey: true })],
  ["movimientosListar", noSubject],
  ["cuentaSaldo", noSubject]
]

const reverse: ReadonlyArray<ScenarioLine> = [
  ["recargasCrear", reversible],
  ["transaccionesAnular", sale],
  ["transaccionesAnular", sale],
  ["transaccionesVer", sale],
  ["transaccionesRecibo", sale]
]

const choose = (name: string): ReadonlyArray<ScenarioLine> => [
  ["consultasCrear", ofFlow(name)],
  ["recargasCrear", subjectOf("option")],
  ["recargasCrear", subjectOf("option")],
  ["transaccionesRecibo", sale]
]

const insure: ReadonlyArray<ScenarioLine> = [
  ["segurosDisponible", noSubject],
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
const aboutOf = ({ name, path }: Operation): SubjectGenerator => {
  if (/^\/v1\/(seguros|insurance)\/\{/.test(path)) return insurance
  if (/^\/v1\/(transacciones|transactions)/.test(path)) return sale
  if (name === "segurosIniciar") return ofFlow("seguros")
  if (name === "recargasCrear")
    return fc.oneof(ofFlow("monto_libre"), subjectOf("option"), insurance, subjectOf("sale", { withKey: true }))
  return fc.oneof({ weight: 1, arbitrary: noSubject }, { weight: 3, arbitrary: subjectOf("service") })
}

// One in so many lines is left out, so that steps are out of order too, and a story shrinks to what it needs.
const keptOf = 14

/** Stories by callers of these names, at every operation. */
export const scenarioGenerator = (
  operations: ReadonlyArray<Operation>,
  callers: ReadonlyArray<string>
): fc.Arbitrary<Scenario> => {
  const anybody = weightedCaller(callers)
  const named = Map.groupBy(operations, ({ name }) => name)

  const told = (lines: ReadonlyArray<ScenarioLine>): fc.Arbitrary<Scenario> =>
    protagonists.chain((protagonist) => {
      const caller = fc.oneof({ weight: 20, arbitrary: fc.constant(protagonist) }, { weight: 1, arbitrary: anybody })
      const steps = lines.map(([name, about]) =>
        fc.option(generateStep({ operations: named.get(name) ?? [], basis: about, caller, wrong: 0.12 }), {
          freq: keptOf,
          nil: undefined
        })
      )
      return fc.tuple(...steps).map((all) => all.filter((step) => step !== undefined))
    })

  const alone = operations.map(
    (operation): StepGenerator => ({
      operations: [operation],
      basis: aboutOf(operation),
      caller: anybody,
      wrong: 0.8
    })
  )
  const batches = ["GET", "POST"].map((method) => generateBatch(method, alone, anybody))
  const chaos = fc.array(fc.oneof(...alone.map(generateStep)), { minLength: 1, maxLength: 6 })
  return fc.oneof(
    { weight: 12, arbitrary: chaos },
    { weight: 1, arbitrary: fc.array(fc.oneof(...batches), { minLength: 1, maxLength: 2 }) },
    { weight: 2, arbitrary: told(sell) },
    { weight: 2, arbitrary: told(reverse) },
    { weight: 1, arbitrary: fc.constantFrom("paquetes", "facturas").chain((name) => told(choose(name))) },
    { weight: 3, arbitrary: told(insure) }
  )
}
