import fc from "fast-check"
import type { Operation } from "../request/Operations.ts"
import type { ScenarioStep, StepSubject } from "./ScenarioStep.ts"
import { generateBatch, generateStep, type StepGenerator, subjectOf } from "./StepGenerator.ts"

/** A sequence of requests. Each request may use facts from earlier responses. */
export type Scenario = ReadonlyArray<ScenarioStep>

/** Weight of each caller. Callers without an entry have weight 1. */
const callerWeights: Readonly<Record<string, number>> = { main: 120, mainByPair: 5, poor: 6, limited: 6, producing: 5 }

const weightedCaller = (callers: ReadonlyArray<string>): fc.Arbitrary<string> =>
  fc.oneof(...callers.map((name) => ({ weight: callerWeights[name] ?? 1, arbitrary: fc.constant(name) })))

const mainCallers = fc.oneof(
  { weight: 12, arbitrary: fc.constant("main") },
  { weight: 3, arbitrary: fc.constantFrom("poor", "limited", "producing") }
)

const flow = (name: string) => ({ where: { flujo: `"${name}"` } })
const ofFlow = (name: string) => subjectOf("service", flow(name))
const reversible = subjectOf("service", { where: { acepta_anulacion: "true" } })
const noSubject = fc.constant(null)

type SubjectGenerator = fc.Arbitrary<StepSubject | null>
type ScenarioLine = readonly [operation: string, subject: SubjectGenerator]

const sale = subjectOf("sale")
const insurance = subjectOf("insurance")
const webhook = subjectOf("webhook")

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

const listen: ReadonlyArray<ScenarioLine> = [
  ["webhooksCrear", noSubject],
  ["webhooksListar", noSubject],
  ["webhooksVer", webhook],
  ["recargasCrear", ofFlow("monto_libre")],
  ["webhooksReenviar", webhook],
  ["webhooksProbar", webhook],
  ["webhooksReenviar", webhook],
  ["webhooksEntregas", webhook],
  ["eventosListar", noSubject],
  ["webhooksRotarSecreto", webhook],
  ["webhooksCambiar", webhook],
  ["webhooksBorrar", webhook]
]

/** The kinds of facts that an operation can use outside a flow. */
const subjectFor = ({ name, path }: Operation): SubjectGenerator => {
  if (/^\/v1\/(seguros|insurance)\/\{/.test(path)) return insurance
  if (/^\/v1\/(transacciones|transactions)/.test(path)) return sale
  if (path.startsWith("/v1/webhooks/")) return webhook
  if (name === "segurosIniciar") return ofFlow("seguros")
  if (name === "recargasCrear")
    return fc.oneof(ofFlow("monto_libre"), subjectOf("option"), insurance, subjectOf("sale", { withKey: true }))
  return fc.oneof({ weight: 1, arbitrary: noSubject }, { weight: 3, arbitrary: subjectOf("service") })
}

// One of this number of steps in a flow is skipped. Flows therefore also run out of order, and a failing flow can
// shrink to the steps that matter.
const skipOneIn = 14

/** Generates scenarios with these callers over all operations. */
export const scenarioGenerator = (
  operations: ReadonlyArray<Operation>,
  callers: ReadonlyArray<string>
): fc.Arbitrary<Scenario> => {
  const anyCaller = weightedCaller(callers)
  const named = Map.groupBy(operations, ({ name }) => name)

  const flowScenario = (lines: ReadonlyArray<ScenarioLine>): fc.Arbitrary<Scenario> =>
    mainCallers.chain((mainCaller) => {
      const caller = fc.oneof({ weight: 20, arbitrary: fc.constant(mainCaller) }, { weight: 1, arbitrary: anyCaller })
      const steps = lines.map(([name, subject]) =>
        fc.option(generateStep({ operations: named.get(name) ?? [], subject, caller, wrong: 0.12 }), {
          freq: skipOneIn,
          nil: undefined
        })
      )
      return fc.tuple(...steps).map((all) => all.filter((step) => step !== undefined))
    })

  const alone = operations.map(
    (operation): StepGenerator => ({
      operations: [operation],
      subject: subjectFor(operation),
      caller: anyCaller,
      wrong: 0.8
    })
  )
  const batches = [true, false].map((reads) => generateBatch(reads, alone, anyCaller))
  const unordered = fc.array(fc.oneof(...alone.map(generateStep)), { minLength: 1, maxLength: 6 })
  return fc.oneof(
    { weight: 12, arbitrary: unordered },
    { weight: 1, arbitrary: fc.array(fc.oneof(...batches), { minLength: 1, maxLength: 2 }) },
    { weight: 2, arbitrary: flowScenario(sell) },
    { weight: 2, arbitrary: flowScenario(reverse) },
    { weight: 1, arbitrary: fc.constantFrom("paquetes", "facturas").chain((name) => flowScenario(choose(name))) },
    { weight: 3, arbitrary: flowScenario(insure) },
    { weight: 2, arbitrary: flowScenario(listen) }
  )
}
