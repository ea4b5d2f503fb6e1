import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"
import { type Story, stories } from "./support/AlertStories.ts"

const promtool = "/usr/bin/promtool"
const rules = fileURLToPath(new URL("../../ops/alerts.yml", import.meta.url))

const told = ({ alert, severity, labels, summary }: Story) => ({
  exp_labels: { severity, ...labels },
  exp_annotations: { summary, runbook: `docs/operating.md#${alert.toLowerCase()}` }
})

/** What promtool runs; JSON is YAML. */
const caseOf = (story: Story) => ({
  interval: "1m",
  name: story.alert,
  input_series: Object.entries(story.series).map(([series, values]) => ({ series, values })),
  alert_rule_test: [
    { eval_time: story.quiet, alertname: story.alert, exp_alerts: [] },
    { eval_time: story.fires, alertname: story.alert, exp_alerts: [told(story)] }
  ]
})

/** What promtool finds wrong; nothing if all is well. */
const wrongOf = async (story: Story) => {
  const folder = mkdtempSync(join(tmpdir(), "saldo-alerts-"))
  try {
    const path = join(folder, "story.json")
    writeFileSync(path, JSON.stringify({ rule_files: [rules], evaluation_interval: "1m", tests: [caseOf(story)] }))
    await promisify(execFile)(promtool, ["test", "rules", path])
    return ""
  } catch (error) {
    return error instanceof Error && "stdout" in error ? `${error.stdout}${error.message}` : String(error)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe("an alert", () => {
  it("has its story here", () => {
    const named = Array.from(readFileSync(rules, "utf8").matchAll(/- alert: (\w+)/g), ([, name]) => name)
    assert.deepStrictEqual(
      stories.map(({ alert }) => alert),
      named
    )
  })

  // Prometheus tells. Where its promtool is not installed, nobody can.
  it.skipIf(!existsSync(promtool)).each(stories)("$alert waits until $quiet and calls at $fires", async (story) => {
    assert.strictEqual(await wrongOf(story), "")
  })
})
