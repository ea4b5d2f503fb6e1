import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { type AlertCase, alertCases } from "../support/AlertCases.ts"

const promtool = "/usr/bin/promtool"
const amtool = "/usr/bin/amtool"

/** Whether a tool of Prometheus is installed. Warns if the tool is missing. */
const hasTool = (path: string, checked: string): boolean => {
  const installed = existsSync(path)
  if (!installed) console.warn(`${path} is not installed, so ${checked} not tested`)
  return installed
}

const hasPromtool = hasTool(promtool, "the alert rules are")
const hasAmtool = hasTool(amtool, "the configuration of Alertmanager is")

/** The faults that a tool finds in a file, or the empty string. The text may be JSON, because JSON is valid YAML. */
const faultsBy = async (tool: string, command: ReadonlyArray<string>, text: string) => {
  const folder = mkdtempSync(join(tmpdir(), "saldo-alerts-"))
  try {
    const path = join(folder, "given.yml")
    writeFileSync(path, text)
    await promisify(execFile)(tool, [...command, path])
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
    assert.strictEqual(await faultsBy(promtool, ["test", "rules"], JSON.stringify(testOf(alertCase))), "")
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
      await faultsBy(promtool, ["check", "rules"], JSON.stringify({ groups: [{ name: "dashboard", rules }] })),
      ""
    )
  })

  it("accepts its configuration", async () => {
    assert.strictEqual(await faultsBy(promtool, ["check", "config", "--syntax-only"], textOf("prometheus.yml")), "")
  })
})

/** The configuration that ops/alertmanager.sh prints with these variables. */
const alertmanagerConfig = (variables: Readonly<Record<string, string>>) =>
  promisify(execFile)("sh", [pathOf("alertmanager.sh")], { env: { PATH: process.env["PATH"], ...variables } })

const email = {
  ALERT_EMAIL_TO: "guardia@saldo.test, jefe@saldo.test",
  ALERT_EMAIL_FROM: "saldo@saldo.test",
  ALERT_SMTP_HOST: "smtp.saldo.test:587"
}
const login = { ALERT_SMTP_USER: "saldo", ALERT_SMTP_PASSWORD: `a'b"c\\d: $e #f {{g}}` }
const webhook = { ALERT_WEBHOOK_URL: "https://hooks.saldo.test/?a=1&b='2'" }

const sentEmail = {
  to: email.ALERT_EMAIL_TO,
  from: email.ALERT_EMAIL_FROM,
  smarthost: email.ALERT_SMTP_HOST,
  auth_username: "",
  auth_password: "",
  require_tls: true,
  send_resolved: true
}
const sentWebhook = { url: webhook.ALERT_WEBHOOK_URL, send_resolved: true }

describe("Alertmanager", () => {
  // Variables, and the receiver that Alertmanager notifies.
  const cases = [
    { name: "e-mail", variables: email, receiver: { email_configs: [sentEmail] } },
    {
      name: "e-mail with a login",
      variables: { ...email, ...login },
      receiver: {
        email_configs: [{ ...sentEmail, auth_username: "saldo", auth_password: login.ALERT_SMTP_PASSWORD }]
      }
    },
    {
      name: "e-mail without TLS",
      variables: { ...email, ALERT_SMTP_TLS: "off" },
      receiver: { email_configs: [{ ...sentEmail, require_tls: false }] }
    },
    { name: "a webhook", variables: webhook, receiver: { webhook_configs: [sentWebhook] } },
    {
      name: "a webhook with a token, and e-mail",
      variables: { ...email, ...webhook, ALERT_WEBHOOK_TOKEN: "t'" },
      receiver: {
        email_configs: [sentEmail],
        webhook_configs: [{ ...sentWebhook, http_config: { authorization: { credentials: "t'" } } }]
      }
    }
  ]

  it.each(cases)("sends alerts by $name", async ({ receiver, variables }) => {
    const { stdout } = await alertmanagerConfig(variables)
    const { receivers, route } = parse(stdout)
    assert.deepStrictEqual(receivers, [{ name: "operator", ...receiver }])
    assert.deepStrictEqual([route.receiver, route.repeat_interval], ["operator", "1h"])
    assert.deepStrictEqual(route.routes, [{ matchers: ['severity="ticket"'], repeat_interval: "1d" }])
  })

  it.skipIf(!hasAmtool).each(cases)("accepts the configuration for $name", async ({ variables }) => {
    assert.strictEqual(await faultsBy(amtool, ["check-config"], (await alertmanagerConfig(variables)).stdout), "")
  })

  // Variables that do not suffice, and the variable that the error names.
  it.each([
    [{}, "ALERT_EMAIL_TO or ALERT_WEBHOOK_URL"],
    [{ ALERT_EMAIL_TO: "", ALERT_WEBHOOK_URL: "" }, "ALERT_EMAIL_TO or ALERT_WEBHOOK_URL"],
    [{ ...email, ALERT_EMAIL_FROM: "" }, "ALERT_EMAIL_FROM"],
    [{ ...email, ...webhook, ALERT_SMTP_HOST: "" }, "ALERT_SMTP_HOST"]
  ])("has no configuration for %j", async (variables, named) => {
    const failure = await alertmanagerConfig(variables).then(
      () => assert.fail("the script printed a configuration"),
      ({ stderr, stdout }: { readonly stderr: string; readonly stdout: string }) => ({ stderr, stdout })
    )
    assert.strictEqual(failure.stdout, "")
    assert.include(failure.stderr, named)
  })

  it("has a route for every severity of the alerts", () => {
    const severities = new Set(alertCases.map(({ severity }) => severity))
    assert.sameMembers([...severities], ["page", "ticket"])
  })
})
