import { getPriority, platform, setPriority } from "node:os"
import { parentPort } from "node:worker_threads"
import { Effect } from "effect"
import { type DocumentJob, decodeJob } from "./DocumentJob.ts"
import { makeFonts } from "./Fonts.ts"
import { policyPdf } from "./PolicyPdf.ts"
import { receiptPdf } from "./ReceiptPdf.ts"
import { tablePdf } from "./TablePdf.ts"

// The entry point of the thread that renders. The thread answers each job with the bytes of its document. An error ends the
// thread.

/**
 * How much the nice value of this thread is above that of the thread that sells. A higher nice value is a lower priority.
 */
const nicer = 5
const nicest = 19

const fonts = makeFonts()

// Linux has a priority for each thread. Elsewhere this would lower the priority of the whole process.
if (platform() === "linux") setPriority(Math.min(getPriority() + nicer, nicest))

const render = (job: DocumentJob): Effect.Effect<Uint8Array<ArrayBuffer>> => {
  switch (job._tag) {
    case "Receipt":
      return receiptPdf(fonts, job.receipt)
    case "Policy":
      return policyPdf(fonts, job.facts, job.document)
    case "Table":
      return tablePdf(fonts, job.table)
  }
}

parentPort?.on("message", async (text: string) => {
  const bytes = await Effect.runPromise(render(decodeJob(text)))
  parentPort?.postMessage(bytes, [bytes.buffer])
})
