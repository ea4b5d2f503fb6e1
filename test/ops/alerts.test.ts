import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { type Story, stories } from "./support/AlertStories.ts"
import { hasPromtool, wrongWith } from "./support/Promtool.ts"

const pathOf = (file: string) => fileURLToPath(new URL(`../../ops/${file}`, import.meta.url))
const textOf = (file: string) => readFileSync(pathOf(file), "utf8")

const told = ({ alert, severity, labels, summary }: Story) => ({
  exp_labels: { severity, ...labels },
  exp_annotations: { summary, runbook: `docs/operating.md#${alert.toLowerCase()}` }
})

const testOf = (story: Story) => ({
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
      stories.map(({ alert }) => alert),
      named
    )
  })

  it.skipIf(!hasPromtool).each(stories)("$alert waits until $quiet and calls at $fires", async (story) => {
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
