import { parentPort } from "node:worker_threads"
import { type MutantJob, outcomeOf, runMutant, runSeed, type SeedJob } from "./Job.ts"

// Runs the jobs that it receives, one at a time.
parentPort?.on("message", async (job: SeedJob | MutantJob) => {
  parentPort?.postMessage("mutant" in job ? await runMutant(job) : outcomeOf(await runSeed(job)))
})
