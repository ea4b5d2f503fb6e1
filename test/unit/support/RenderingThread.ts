import { parentPort } from "node:worker_threads"

// A test double of the rendering thread, which renders nothing. It answers each document with the number of documents so
// far. For the identifiers below it fails, ends or hangs.

let given = 0

parentPort?.on("message", (text: string) => {
  given += 1
  const { identifier } = JSON.parse(text).receipt
  if (identifier === "fails") throw new Error("the font is broken")
  if (identifier === "ends") process.exit(3)
  if (identifier !== "hangs") parentPort?.postMessage(Uint8Array.of(given))
})
