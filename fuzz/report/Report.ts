import type { Document } from "../../facade/cli/terminal/Output.ts"
import { table } from "../../facade/cli/terminal/Output.ts"
import type { Broken } from "../law/Exchange.ts"
import { curlOf } from "../request/Curl.ts"
import type { Outcome, Plan } from "../run/Fuzz.ts"
import type { Counterexample } from "../run/Lane.ts"
import type { Told } from "../story/Play.ts"

const shown_max = 2_000

const answerOf = ({ answer }: Told): string =>
  answer === null ? "no answer" : `${answer.status} ${answer.text.slice(0, shown_max)}`

const brokenWords = ({ law, what }: Broken): string => `BROKEN  ${law}: ${what}`

const again = ({ requests, seed }: Plan): string => `npm run fuzz -- --requests ${requests} --seed ${seed}`

const counterexampleWords = ({ broken, foundIn, told }: Counterexample, port: number): ReadonlyArray<string> => [
  brokenWords(broken),
  `found in ${foundIn} requests, shrunk to ${told.length}:`,
  ...told.flatMap((one) => ["", curlOf(one.request, port), `-> ${answerOf(one)}`])
]

/** Whether every law held. */
export const isSound = ({ atTheEnd, counterexample }: Outcome): boolean =>
  counterexample === null && atTheEnd.length === 0

const doorRows = ({ coverage }: Outcome): ReadonlyArray<Document> =>
  coverage.doors().map(({ door, never, requests, seen }) => ({ door, requests, seen, never }))

/** How a run went, for a person. */
export const wordsOf = (plan: Plan, outcome: Outcome): string => {
  const { atTheEnd, counterexample, coverage, port, requests } = outcome
  const { calls, procedures } = coverage.trpc()
  const failed = [
    ...(counterexample === null ? [] : counterexampleWords(counterexample, port)),
    ...atTheEnd.map(brokenWords)
  ]
  return [
    table(doorRows(outcome)),
    "",
    `${calls} calls of ${procedures.length} procedures by tRPC, ${coverage.elsewhere()} requests to nowhere.`,
    `${requests.toLocaleString("en")} requests, seed ${plan.seed}: ${isSound(outcome) ? "every law held" : "a law was broken"}.`,
    ...(failed.length === 0 ? [] : ["", ...failed, "", `Again: ${again(plan)}`])
  ].join("\n")
}

/** The same for a program. */
export const documentOf = (plan: Plan, outcome: Outcome): Document => {
  const { atTheEnd, counterexample, coverage, port, requests } = outcome
  return {
    ok: isSound(outcome),
    seed: plan.seed,
    requests,
    doors: doorRows(outcome),
    trpc: coverage.trpc(),
    elsewhere: coverage.elsewhere(),
    broken: [...(counterexample === null ? [] : [counterexample.broken]), ...atTheEnd],
    story: (counterexample?.told ?? []).map((one) => ({ curl: curlOf(one.request, port), answer: answerOf(one) })),
    again: again(plan)
  }
}
