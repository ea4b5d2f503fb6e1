import { parentPort } from "node:worker_threads"
import { Effect } from "effect"
import { type DocumentJob, decodeJob } from "./DocumentJob.ts"
import { makeFonts } from "./Fonts.ts"
import { policyPdf } from "./PolicyPdf.ts"
import { receiptPdf } from "./ReceiptPdf.ts"

// The entry of the thread that renders. It answers each job with the bytes of its document. An error ends the thread.

const fonts = makeFonts()

const render = (job: DocumentJob): Effect.Effect<Uint8Array<ArrayBuffer>> =>
  job._tag === "Receipt" ? receiptPdf(fonts, job.receipt) : policyPdf(fonts, job.facts, job.document)

parentPort?.on("message", async (text: string) => {
  const bytes = await Effect.runPromise(render(decodeJob(text)))
  parentPort?.postMessage(bytes, [bytes.buffer])
})
