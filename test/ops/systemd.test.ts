import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../../", import.meta.url))

const [, manual = ""] = readFileSync(`${root}docs/operating.md`, "utf8").split("\n## Install on a server\n")

/** What the manual's own command makes of a file of ops/, and the lines of it that are new. */
const madeOf = (file: string) => {
  const [command = ""] = new RegExp(`sed (?:(?!sed )[^>])*/opt/saldo/ops/${file} `).exec(manual) ?? []
  const made = execFileSync("sh", ["-c", command.replace(`/opt/saldo/ops/${file}`, `${root}ops/${file}`)], {
    encoding: "utf8"
  })
  const before = new Set(readFileSync(`${root}ops/${file}`, "utf8").split("\n"))
  return { made, added: made.split("\n").flatMap((line) => (before.has(line) ? [] : [line.trim()])) }
}

describe("on a server of one's own", () => {
  it.each(["saldo@.service", "saldo.sh"])("%s starts the main program of this version", (file) => {
    const [, program = ""] = /(facade\/\S+\.ts)/.exec(readFileSync(`${root}ops/${file}`, "utf8")) ?? []
    assert.isTrue(existsSync(`${root}${program}`), program)
  })

  it("systemd waits longer than a stopping server takes", () => {
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(readFileSync(`${root}ops/saldo@.service`, "utf8")) ?? []
    assert.isAbove(Number(seconds), 40)
  })

  it("nginx finds the processes of this machine, and its files where Debian has them", () => {
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

  it("Prometheus looks at both, with the rules of the checkout", () => {
    const { added } = madeOf("prometheus.yml")
    assert.deepStrictEqual(added, [
      "rule_files: [/opt/saldo/ops/alerts.yml]",
      "- targets: [127.0.0.1:13000, 127.0.0.1:13001]"
    ])
  })
})
