import { cpus, totalmem, type } from "node:os"
import type { Plan } from "../Bench.ts"
import { generator } from "../support/Load.ts"

/** On what, and how, it was measured. */
export const factsOf = (plan: Plan, at: string): Readonly<Record<string, string>> => {
  const [cpu] = cpus()
  return {
    measured: at,
    machine: `${cpus().length} x ${cpu?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()}`,
    node: process.version,
    load: `${generator}, ${plan.connections} connections, medians of ${plan.rounds} rounds of ${plan.seconds} s in turn`,
    everything: "load, servers and Postgres share the machine"
  }
}
