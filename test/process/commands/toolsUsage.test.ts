import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { flagsOf } from "../../support/CommandLine.ts"

/** Runs a tool the way its npm script does. */
const run = async (file: string, ...args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "pipe"] })
  const code = new Promise((resolve) => child.once("close", resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await code, stdout, stderr }
}

const tools = [
  {
    folder: "simulation",
    usage:
      "npm run simulate -- [--seeds integer] [--ops integer] [--seed integer] [--on choice] [--mutants] [--report FILE.html] [--json]",
    defaults: { seeds: "200", ops: "200", seed: "0", on: "memory; with --mutants both", report: "none" },
    refused: ["--on", "paper", '"memory" | "sql"']
  },
  {
    folder: "fuzz",
    usage: "npm run fuzz -- [--requests integer] [--seed integer] [--json]",
    defaults: { requests: "20000", seed: "random" },
    refused: ["--requests", "0", "a whole number, from 1 to 100000000"]
  },
  {
    folder: "prove",
    usage: "npm run prove -- [--only a,b] [--seed integer] [--share number] [--write] [--json]",
    defaults: { only: "all", seed: "random", share: "1" },
    refused: ["--share", "half", "a number above 0 and at most 1"]
  },
  {
    folder: "crash",
    usage: "npm run crash -- [--rounds integer] [--seed integer] [--json]",
    defaults: { rounds: "20", seed: "random" },
    refused: ["--rounds", "0", "a whole number, 1 or more"]
  },
  {
    folder: "bench",
    usage:
      "npm run bench -- [--rounds integer] [--seconds integer] [--connections integer] [--only a,b] [--rows integer] [--soak integer] [--profile directory] [--json]",
    defaults: { rounds: "5", seconds: "8", connections: "64", only: "all", rows: "0", soak: "0", profile: "none" },
    refused: [
      "--only",
      "busy,idle",
      "any of many, busy, alone, read, documents, console, events, tail, cells, history, replicas, separated by commas"
    ]
  }
] as const

describe.each(tools)("the command line of $folder", ({ defaults, folder, refused, usage }) => {
  const [flag, value, allowed] = refused
  const file = `test/${folder}/main.ts`
  const tellsMore = `Usage: ${usage}\n"${usage.slice(0, usage.indexOf("-- "))}-- --help" shows all options.`

  it("shows the default of every flag in its help", async () => {
    const { code, stderr, stdout } = await run(file, "--help")
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.deepStrictEqual(flagsOf(stdout), { required: [], defaults, untold: [] })
    assert.include(stdout, `USAGE\n  ${usage}\n`)
  })

  it("reports an invalid value and the allowed values as JSON", async () => {
    const { stderr, ...rest } = await run(file, flag, value, "--json")
    assert.deepStrictEqual(rest, { code: 2, stdout: "" })
    assert.deepStrictEqual(JSON.parse(stderr).error, {
      code: "WRONG_USAGE",
      message: `Invalid value for flag ${flag}: "${value}". Expected: ${allowed}\n${tellsMore}`
    })
  })
})

describe("the command line of test/bench/list.ts", () => {
  const usage = "npm run bench:list -- [--json]"

  it("shows its help without measuring anything", async () => {
    const { code, stderr, stdout } = await run("test/bench/list.ts", "--help")
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.include(stdout, `USAGE\n  ${usage}\n`)
  })

  it("rejects an unknown flag with a short error on stderr", async () => {
    const stderr = `error: Unrecognized flag: --bogus\nUsage: ${usage}\n"npm run bench:list -- --help" shows all options.\n`
    assert.deepStrictEqual(await run("test/bench/list.ts", "--bogus"), { code: 2, stdout: "", stderr })
  })
})
