import { cpus, totalmem, type } from "node:os"

/** The machine, as far as figures depend on it. */
export const machineFacts = () => {
  const [cpu] = cpus()
  return {
    machine: `${cpus().length} x ${cpu?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()}`,
    node: process.version
  }
}
