import { Effect } from "effect"
import { ServiceAddress } from "../../support/InProcessService.ts"

/** A file as it comes. */
export const bytesOf = Effect.fnUntraced(function* (path: string, headers: Record<string, string>) {
  const { url } = yield* ServiceAddress
  return yield* Effect.promise(async () => Buffer.from(await (await fetch(url + path, { headers })).arrayBuffer()))
})
