import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"

const rootPath = fileURLToPath(new URL("../../../", import.meta.url))

const [, manual = ""] = readFileSync(`${rootPath}docs/operating.md`, "utf8").split("\n## Install on a server\n")

/** A file of ops/ after the `sed` command of the manual, and the lines that the command changed or added. */
const madeOf = (file: string) => {
  const [command = ""] = new RegExp(`sed (?:(?!sed )[^>])*/opt/saldo/ops/${file} `).exec(manual) ?? []
  const made = execFileSync("sh", ["-c", command.replace(`/opt/saldo/ops/${file}`, `${rootPath}ops/${file}`)], {
    encoding: "utf8"
  })
  const before = new Set(readFileSync(`${rootPath}ops/${file}`, "utf8").split("\n"))
  return { made, added: made.split("\n").flatMap((line) => (before.has(line) ? [] : [line.trim()])) }
}

describe("an installation without containers", () => {
  it.each(["saldo@.service", "saldo.sh"])("starts the main program by %s", (file) => {
    const [, program = ""] = /(facade\/\S+\.ts)/.exec(readFileSync(`${rootPath}ops/${file}`, "utf8")) ?? []
    assert.isTrue(existsSync(`${rootPath}${program}`), program)
  })

  it("has a systemd stop timeout longer than a server needs to stop", () => {
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(readFileSync(`${rootPath}ops/saldo@.service`, "utf8")) ?? []
    assert.isAbove(Number(seconds), 40)
  })

  it("has an nginx configuration for local processes and Debian's paths", () => {
    const { added, made } = madeOf("nginx.conf")
    assert.deepStrictEqual(added, [
      "user www-data; error_log /var/log/nginx/error.log crit;",
      "pid /run/nginx.pid;",
      "access_log /var/log/nginx/access.log calls;",
      "server 127.0.0.1:3000 max_fails=0;",
      "server 127.0.0.1:3001 max_fails=0;",
      "listen 443 ssl;"
    ])
    assert.notMatch(made, /^ *resolver |saldo-[12]|\/dev\/std/m)
  })

  it("has a Prometheus configuration that scrapes both processes and loads the alert rules", () => {
    const { added } = madeOf("prometheus.yml")
    assert.deepStrictEqual(added, [
      "rule_files: [/opt/saldo/ops/alerts.yml]",
      "- targets: [127.0.0.1:9093]",
      "- targets: [127.0.0.1:13000, 127.0.0.1:13001]"
    ])
  })
})
