import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"
import { type AlertCase, alertCases } from "../support/AlertCases.ts"

const promtool = "/usr/bin/promtool"

/** Whether Prometheus's promtool is installed. Without it the alert rules are not checked. */
const hasPromtool = existsSync(promtool)
if (!hasPromtool) console.warn(`${promtool} is not installed, so the alert rules are not tested`)

/** The faults that promtool finds in a file, or the empty string. The text may be JSON, because JSON is valid YAML. */
const promtoolFaults = async (command: ReadonlyArray<string>, text: string) => {
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

const expectedAlert = ({ alert, severity, labels, summary }: AlertCase) => ({
  exp_labels: { severity, ...labels },
  exp_annotations: { summary, runbook: `docs/operating.md#${alert.toLowerCase()}` }
})

const testOf = (alertCase: AlertCase) => ({
  rule_files: [pathOf("alerts.yml")],
  evaluation_interval: "1m",
  tests: [
    {
      interval: "1m",
      name: alertCase.alert,
      input_series: Object.entries(alertCase.series).map(([series, values]) => ({ series, values })),
      alert_rule_test: [
        { eval_time: alertCase.quiet, alertname: alertCase.alert, exp_alerts: [] },
        { eval_time: alertCase.fires, alertname: alertCase.alert, exp_alerts: [expectedAlert(alertCase)] }
      ]
    }
  ]
})

describe("an alert", () => {
  it("has a test case", () => {
    const named = Array.from(textOf("alerts.yml").matchAll(/- alert: (\w+)/g), ([, name]) => name)
    assert.deepStrictEqual(
      alertCases.map(({ alert }) => alert),
      named
    )
  })

  it.skipIf(!hasPromtool).each(alertCases)("$alert does not fire at $quiet and fires at $fires", async (alertCase) => {
    assert.strictEqual(await promtoolFaults(["test", "rules"], JSON.stringify(testOf(alertCase))), "")
  })
})

interface Panel {
  readonly title: string
  readonly panels?: ReadonlyArray<Panel>
  readonly targets?: ReadonlyArray<{ readonly expr: string }>
}

const queriesOf = (panels: ReadonlyArray<Panel>): ReadonlyArray<string> =>
  panels.flatMap((panel) => [...(panel.targets ?? []).map(({ expr }) => expr), ...queriesOf(panel.panels ?? [])])

describe.skipIf(!hasPromtool)("Prometheus", () => {
  it("accepts every query of the dashboard", async () => {
    const queries = queriesOf(JSON.parse(textOf("grafana-dashboard.json")).panels)
    const rules = queries.map((expr, n) => ({ record: `query_${n}`, expr }))
    assert.isAbove(rules.length, 20)
    assert.strictEqual(
      await promtoolFaults(["check", "rules"], JSON.stringify({ groups: [{ name: "dashboard", rules }] })),
      ""
    )
  })

  it("accepts its configuration", async () => {
    assert.strictEqual(await promtoolFaults(["check", "config", "--syntax-only"], textOf("prometheus.yml")), "")
  })
})
