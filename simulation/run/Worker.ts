import { parentPort } from "node:worker_threads"
import { type MutantJob, outcomeOf, type Run, runMutant, runSeed } from "./Job.ts"

// Runs the jobs that it receives, one at a time.
parentPort?.on("message", async (job: Run | MutantJob) => {
  parentPort?.postMessage("mutant" in job ? await runMutant(job) : outcomeOf(await runSeed(job)))
})
