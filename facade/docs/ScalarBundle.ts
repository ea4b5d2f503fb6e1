import { readFile } from "node:fs/promises"
import { Effect, Schema } from "effect"
import { documentPath } from "../api/Envelope.ts"

/** The part of a Fastify reply that the handler of a static file uses. */
interface Reply {
  header(name: string, value: string): Reply
  send(body: string): unknown
}

interface Route {
  readonly url: string
  handler(request: object, reply: Reply): unknown
}

/** A reply with a `send` that returns the body, so that the handler of the route returns it too. */
const reply: Reply = { header: () => reply, send: (body) => body }

const packageName = "@scalar/fastify-api-reference"

const Package = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

/** Version of the package with Scalar's script. */
export const scalarVersion: Effect.Effect<string> = Effect.promise(async () => {
  const file = new URL("../package.json", import.meta.resolve(packageName))
  return Schema.decodeUnknownSync(Package)(await readFile(file, "utf8")).version
})

/**
 * Scalar's script for browsers. The smallest package that contains the script is a Fastify plugin, which serves it at
 * js/scalar.js. `scalarBundle` gives the plugin a list of routes in place of Fastify, and calls the handler of js/scalar.js.
 */
export const scalarBundle: Effect.Effect<string> = Effect.gen(function* () {
  const { default: plugin } = yield* Effect.promise(() => import("@scalar/fastify-api-reference"))
  const routes: Array<Route> = []
  const fastify = { route: (route: Route) => routes.push(route) }
  plugin(fastify as never, { configuration: { url: documentPath } }, () => {})
  const script = routes.find(({ url }) => url.endsWith("/js/scalar.js"))?.handler({}, reply)
  return typeof script === "string" ? script : yield* Effect.die(new Error("Scalar's plugin serves no script"))
})
