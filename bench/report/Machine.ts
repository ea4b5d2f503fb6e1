import { machineFacts } from "../../tools/Machine.ts"
import type { Plan } from "../stages/Bench.ts"
import { generator } from "../support/Measure.ts"

/** On what, and how, it was measured. */
export const factsOf = (plan: Plan, at: string): Readonly<Record<string, string>> => ({
  measured: at,
  ...machineFacts(),
  load: `${generator}, ${plan.connections} connections, medians of ${plan.rounds} rounds of ${plan.seconds} s in turn`,
  everything: "load, servers and Postgres share the machine"
})
