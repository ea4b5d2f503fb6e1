import { parentPort } from "node:worker_threads"

// A thread that renders nothing. It answers with the number of documents that it was given, and fails for some
// identifiers.

let given = 0

parentPort?.on("message", (text: string) => {
  given += 1
  const { identifier } = JSON.parse(text).receipt
  if (identifier === "fails") throw new Error("the font is broken")
  if (identifier === "ends") process.exit(3)
  if (identifier !== "hangs") parentPort?.postMessage(Uint8Array.of(given))
})
