import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"
import { type AlertCase, alertCases } from "../support/AlertCases.ts"

const promtool = "/usr/bin/promtool"

/** Prometheus tells whether what it is given makes sense. Where its promtool is not installed, nobody can. */
const hasPromtool = existsSync(promtool)
if (!hasPromtool) console.warn(`${promtool} is not there, so nobody tells whether the alerts call`)

/** What promtool finds wrong with a file, of YAML or JSON, which is YAML; nothing if all is well. */
const wrongWith = async (command: ReadonlyArray<string>, text: string) => {
  const folder = mkdtempSync(join(tmpdir(), "saldo-promtool-"))
  try {
    const path = join(folder, "given.yml")
    writeFileSync(path, text)
    await promisify(execFile)(promtool, [...command, path])
    return ""
  } catch (error) {
    return error instanceof Error && "stdout" in error ? `${error.stdout}${error.message}` : String(error)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const pathOf = (file: string) => fileURLToPath(new URL(`../../../ops/${file}`, import.meta.url))
const textOf = (file: string) => readFileSync(pathOf(file), "utf8")

const told = ({ alert, severity, labels, summary }: AlertCase) => ({
  exp_labels: { severity, ...labels },
  exp_annotations: { summary, runbook: `docs/operating.md#${alert.toLowerCase()}` }
})

const testOf = (story: AlertCase) => ({
  rule_files: [pathOf("alerts.yml")],
  evaluation_interval: "1m",
  tests: [
    {
      interval: "1m",
      name: story.alert,
      input_series: Object.entries(story.series).map(([series, values]) => ({ series, values })),
      alert_rule_test: [
        { eval_time: story.quiet, alertname: story.alert, exp_alerts: [] },
        { eval_time: story.fires, alertname: story.alert, exp_alerts: [told(story)] }
      ]
    }
  ]
})

describe("an alert", () => {
  it("has its story here", () => {
    const named = Array.from(textOf("alerts.yml").matchAll(/- alert: (\w+)/g), ([, name]) => name)
    assert.deepStrictEqual(
      alertCases.map(({ alert }) => alert),
      named
    )
  })

  it.skipIf(!hasPromtool).each(alertCases)("$alert waits until $quiet and calls at $fires", async (story) => {
    assert.strictEqual(await wrongWith(["test", "rules"], JSON.stringify(testOf(story))), "")
  })
})

interface Panel {
  readonly title: string
  readonly panels?: ReadonlyArray<Panel>
  readonly targets?: ReadonlyArray<{ readonly expr: string }>
}

const queriesOf = (panels: ReadonlyArray<Panel>): ReadonlyArray<string> =>
  panels.flatMap((panel) => [...(panel.targets ?? []).map(({ expr }) => expr), ...queriesOf(panel.panels ?? [])])

describe.skipIf(!hasPromtool)("Prometheus understands", () => {
  it("every query of the dashboard", async () => {
    const queries = queriesOf(JSON.parse(textOf("grafana-dashboard.json")).panels)
    const rules = queries.map((expr, n) => ({ record: `query_${n}`, expr }))
    assert.isAbove(rules.length, 20)
    assert.strictEqual(
      await wrongWith(["check", "rules"], JSON.stringify({ groups: [{ name: "dashboard", rules }] })),
      ""
    )
  })

  it("its configuration", async () => {
    assert.strictEqual(await wrongWith(["check", "config", "--syntax-only"], textOf("prometheus.yml")), "")
  })
})
