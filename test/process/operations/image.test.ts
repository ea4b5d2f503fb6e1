import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { freshDatabaseUrl } from "../../support/Database.ts"
import { buildImage, faultOfContainers, hasBuildah, type ImageStore, openImageStore } from "../support/ImageBuild.ts"

if (!hasBuildah) console.warn("buildah is not installed, so the image is not built")

const dockerfile = readFileSync(new URL("../../../Dockerfile", import.meta.url), "utf8")
const [, baseName = ""] = /^FROM (\S+)$/m.exec(dockerfile) ?? []
const base = `docker.io/library/${baseName}`

/** The parts of an image's configuration that this test reads. */
interface ImageConfig {
  readonly Entrypoint: ReadonlyArray<string>
  readonly Cmd: ReadonlyArray<string>
  readonly User: string
  readonly StopSignal: string
  readonly Healthcheck: { readonly Test: ReadonlyArray<string> }
}

/**
 * Runs in the container: starts the server, calls the health check until it succeeds, stops the server, and prints the
 * exit code of the server.
 */
const trial = ([command, check, signal]: ReadonlyArray<unknown>) => `
const { spawn, spawnSync } = require("node:child_process")
const [program, ...args] = ${JSON.stringify(command)}
const [checker, ...checkerArgs] = ${JSON.stringify(check)}
const server = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] })
server.on("exit", (code) => { console.log("exit " + code); process.exit() })
const attempt = () => {
  if (spawnSync(checker, checkerArgs).status === 0) { console.log("healthy"); server.kill(${JSON.stringify(signal)}) }
  else setTimeout(attempt, 500)
}
attempt()`

const runServer = async ({ buildah }: ImageStore, image: string, databaseUrl: string) => {
  const { Docker } = JSON.parse(await buildah("inspect", "--type=image", image))
  const config: ImageConfig = Docker.config
  const [kind, ...check] = config.Healthcheck.Test
  const container = await buildah("from", "--pull=never", image)
  const variables = { DATABASE_URL: databaseUrl, PORT: "0", OPS_PORT: "9471" }
  const printed = await buildah(
    "run",
    "--isolation=chroot",
    ...Object.entries(variables).map(([name, value]) => `--env=${name}=${value}`),
    container,
    "--",
    "node",
    "--eval",
    trial([[...config.Entrypoint, ...config.Cmd], check, config.StopSignal])
  )
  return { kind, user: config.User, printed: printed.split("\n") }
}

describe.skipIf(!hasBuildah)("the image that buildah builds from the Dockerfile", () => {
  it("serves as the user node, passes its health check and stops with code 0", {
    timeout: 900_000
  }, async (context) => {
    const store = await openImageStore()
    try {
      const fault = await faultOfContainers(store, base)
      if (fault !== null) context.skip(`buildah cannot run a container on this machine: ${fault}`)
      await buildImage(store, "saldo:test")
      const result = await runServer(store, "saldo:test", await Effect.runPromise(freshDatabaseUrl))
      assert.deepStrictEqual(result, { kind: "CMD", user: "node", printed: ["healthy", "exit 0"] })
    } finally {
      store.remove()
    }
  })
})
