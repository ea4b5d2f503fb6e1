#!/usr/bin/env node
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Effect, Exit, Stdio } from "effect"
import { run } from "./Run.ts"

const interrupted = 130

// A server is there to be stopped: once it has drained, that is no failure. Any other command was cut short.
const codeWhenStopped = (args: ReadonlyArray<string>) => (args.includes("serve") ? 0 : interrupted)

Stdio.Stdio.use(({ args }) => Effect.flatMap(args, run)).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    teardown: (exit, onExit) =>
      onExit(
        Exit.match(exit, {
          onSuccess: (code) => Number(code),
          onFailure: (cause) => (Cause.hasInterruptsOnly(cause) ? codeWhenStopped(process.argv) : 1)
        })
      )
  })
)
