import { parentPort } from "node:worker_threads"
import { type Job, outcomeOf, runJob } from "./Job.ts"

// Runs one job after the other, as they are sent.
parentPort?.on("message", async (job: Job) => {
  parentPort?.postMessage(outcomeOf(await runJob(job)))
})
