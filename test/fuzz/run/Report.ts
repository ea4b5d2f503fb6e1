import { type Document, formatTable } from "../../../facade/cli/terminal/Output.ts"
import type { Violation } from "../invariants/Exchange.ts"
import { curlOf } from "../request/HttpRequest.ts"
import type { SentRequest } from "../scenario/PlayScenario.ts"
import type { FuzzOutcome, FuzzPlan } from "./Fuzz.ts"
import type { Counterexample } from "./Lane.ts"

const shown_max = 2_000

const answerOf = ({ answer }: SentRequest): string =>
  answer === null ? "no answer" : `${answer.status} ${answer.text.slice(0, shown_max)}`

const violationText = ({ law, what }: Violation): string => `BROKEN  ${law}: ${what}`

const rerunCommand = ({ requests, seed }: FuzzPlan): string => `npm run fuzz -- --requests ${requests} --seed ${seed}`

const counterexampleText = ({ broken, foundIn, told }: Counterexample, port: number): ReadonlyArray<string> => [
  violationText(broken),
  `found in ${foundIn} requests, shrunk to ${told.length}:`,
  ...told.flatMap((one) => ["", curlOf(one.request, port), `-> ${answerOf(one)}`])
]

/** Whether every law held. */
export const allInvariantsHeld = ({ atTheEnd, counterexample }: FuzzOutcome): boolean =>
  counterexample === null && atTheEnd.length === 0

const doorRows = ({ coverage }: FuzzOutcome): ReadonlyArray<Document> =>
  coverage.doors().map(({ door, never, requests, seen }) => ({ door, requests, seen, never }))

/** How a run went, for a person. */
export const reportText = (plan: FuzzPlan, outcome: FuzzOutcome): string => {
  const { atTheEnd, counterexample, coverage, port, requests } = outcome
  const { calls, procedures } = coverage.trpc()
  const failed = [
    ...(counterexample === null ? [] : counterexampleText(counterexample, port)),
    ...atTheEnd.map(violationText)
  ]
  return [
    formatTable(doorRows(outcome)),
    "",
    `${calls} calls of ${procedures.length} procedures by tRPC, ${coverage.elsewhere()} requests to nowhere.`,
    `${requests.toLocaleString("en")} requests, seed ${plan.seed}: ${allInvariantsHeld(outcome) ? "every law held" : "a law was broken"}.`,
    ...(failed.length === 0 ? [] : ["", ...failed, "", `Again: ${rerunCommand(plan)}`])
  ].join("\n")
}

/** The same for a program. */
export const reportDocument = (plan: FuzzPlan, outcome: FuzzOutcome): Document => {
  const { atTheEnd, counterexample, coverage, port, requests } = outcome
  return {
    ok: allInvariantsHeld(outcome),
    seed: plan.seed,
    requests,
    doors: doorRows(outcome),
    trpc: coverage.trpc(),
    elsewhere: coverage.elsewhere(),
    broken: [...(counterexample === null ? [] : [counterexample.broken]), ...atTheEnd],
    story: (counterexample?.told ?? []).map((one) => ({ curl: curlOf(one.request, port), answer: answerOf(one) })),
    again: rerunCommand(plan)
  }
}
