import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { createInterface } from "node:readline"
import { Effect, Redacted } from "effect"

/** Where Debian puts it. */
const redisServer = "/usr/bin/redis-server"

/** A Redis runs the script that counts calls. Where it is not installed, nobody does. */
export const hasRedis = existsSync(redisServer)
if (!hasRedis) console.warn(`${redisServer} is not there, so nobody runs the script that counts calls`)

const freePort = async (): Promise<number> => {
  const server = createServer()
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  await once(server.close(), "close")
  return port
}

const start = async () => {
  const port = await freePort()
  const settings = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
  const child = spawn(redisServer, settings, { stdio: ["ignore", "pipe", "inherit"] })
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes("Ready to accept connections")) return { child, url: Redacted.make(`redis://127.0.0.1:${port}`) }
  }
  throw new Error("Redis did not start")
}

/** The address of an empty Redis, for as long as the test runs. */
export const redis = Effect.acquireRelease(Effect.promise(start), ({ child }) =>
  Effect.promise(async () => {
    const gone = once(child, "exit")
    child.kill()
    await gone
  })
).pipe(Effect.map(({ url }) => url))
