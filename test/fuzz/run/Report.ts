import { type Document, formatTable } from "../../../facade/cli/terminal/Output.ts"
import type { Violation } from "../invariants/Exchange.ts"
import { curlOf } from "../request/HttpRequest.ts"
import type { SentRequest } from "../scenario/PlayScenario.ts"
import type { FuzzOutcome, FuzzPlan } from "./Fuzz.ts"
import type { Counterexample } from "./Lane.ts"

const shown_max = 2_000

const answerOf = ({ answer }: SentRequest): string =>
  answer === null ? "no response" : `${answer.status} ${answer.text.slice(0, shown_max)}`

const violationText = ({ invariant, what }: Violation): string => `BROKEN  ${invariant}: ${what}`

const rerunCommand = ({ requests, seed }: FuzzPlan): string => `npm run fuzz -- --requests ${requests} --seed ${seed}`

const counterexampleText = ({ broken, foundIn, sent }: Counterexample, port: number): ReadonlyArray<string> => [
  violationText(broken),
  `found in ${foundIn} requests and shrunk to ${sent.length}:`,
  ...sent.flatMap((one) => ["", curlOf(one.request, port), `-> ${answerOf(one)}`])
]

/** Whether every invariant held. */
export const allInvariantsHeld = ({ atTheEnd, counterexample }: FuzzOutcome): boolean =>
  counterexample === null && atTheEnd.length === 0

const endpointRows = ({ coverage }: FuzzOutcome): ReadonlyArray<Document> =>
  coverage.endpoints().map(({ endpoint, never, requests, seen }) => ({ endpoint, requests, seen, never }))

/** The report as text. */
export const reportText = (plan: FuzzPlan, outcome: FuzzOutcome): string => {
  const { atTheEnd, counterexample, coverage, port, requests } = outcome
  const { calls, procedures } = coverage.trpc()
  const failed = [
    ...(counterexample === null ? [] : counterexampleText(counterexample, port)),
    ...atTheEnd.map(violationText)
  ]
  return [
    formatTable(endpointRows(outcome)),
    "",
    `${calls} calls of ${procedures.length} procedures over tRPC, ${coverage.elsewhere()} requests that match no operation.`,
    `${requests.toLocaleString("en")} requests, seed ${plan.seed}: ${allInvariantsHeld(outcome) ? "every invariant held" : "an invariant was broken"}.`,
    ...(failed.length === 0 ? [] : ["", ...failed, "", `Repeat: ${rerunCommand(plan)}`])
  ].join("\n")
}

/** The report as a JSON document. */
export const reportDocument = (plan: FuzzPlan, outcome: FuzzOutcome): Document => {
  const { atTheEnd, counterexample, coverage, port, requests } = outcome
  return {
    ok: allInvariantsHeld(outcome),
    seed: plan.seed,
    requests,
    endpoints: endpointRows(outcome),
    trpc: coverage.trpc(),
    elsewhere: coverage.elsewhere(),
    broken: [...(counterexample === null ? [] : [counterexample.broken]), ...atTheEnd],
    scenario: (counterexample?.sent ?? []).map((one) => ({ curl: curlOf(one.request, port), answer: answerOf(one) })),
    again: rerunCommand(plan)
  }
}
