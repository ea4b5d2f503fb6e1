import { parentPort } from "node:worker_threads"
import { type Hunt, hunt, outcomeOf, type Run, runSeed } from "./Job.ts"

// Does one thing after the other, as it is told.
parentPort?.on("message", async (job: Run | Hunt) => {
  parentPort?.postMessage("mutant" in job ? await hunt(job) : outcomeOf(await runSeed(job)))
})
