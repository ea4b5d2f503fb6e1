#!/usr/bin/env node
// This file is JavaScript, so that an old Node can run it and print the message below. main.ts is a symbolic link to this
// file. Node resolves the link first and then decides by the extension whether a file is TypeScript.
import { existsSync, readFileSync } from "node:fs"
import module from "node:module"
import { fileURLToPath } from "node:url"

const root = new URL("../../", import.meta.url)
const oldest = JSON.parse(readFileSync(new URL("package.json", root), "utf8")).engines.node.replace(">=", "")
const { node } = process.versions

if (oldest.localeCompare(node, "en", { numeric: true }) > 0) {
  const remedy = existsSync(new URL("node_modules/.bin/node", root))
    ? "use npm start or npm run -s saldo, which run the Node in node_modules"
    : "install a newer Node; on Linux, npm ci installs one into node_modules, which npm start uses"
  console.error(`error: Saldo needs Node ${oldest} or later, and ${process.execPath} is Node ${node}: ${remedy}`)
  process.exitCode = 1
} else {
  // The cache halves the work of starting a command. If this user may not write to the directory, Node compiles
  // everything at each start.
  module.enableCompileCache(fileURLToPath(new URL("node_modules/.cache/saldo/compiled", root)))
  await import("./RunProcess.ts")
}
