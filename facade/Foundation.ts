import { Layer, Logger, References } from "effect"
import { XidPrefix } from "../core/domain/Xid.ts"
import { Settings } from "./settings/Settings.ts"

const logging = Layer.unwrap(
  Settings.useSync(({ log }) => {
    const format = log.format ?? (process.stderr.isTTY ? "pretty" : "json")
    return Layer.mergeAll(
      Logger.layer([format === "json" ? Logger.withConsoleError(Logger.formatJson) : Logger.consolePretty()]),
      // What a command answers is alone on stdout.
      Layer.succeed(Logger.LogToStderr, true),
      Layer.succeed(References.MinimumLogLevel, log.level)
    )
  })
)

const xidPrefix = Layer.unwrap(Settings.useSync((settings) => Layer.succeed(XidPrefix, settings.xidPrefix)))

/** The settings, and what follows from them for everything. */
export const foundation = Layer.provideMerge(Layer.mergeAll(logging, xidPrefix), Settings.layer)
