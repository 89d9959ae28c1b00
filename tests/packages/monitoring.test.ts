// Alerts and the dashboard are compared with what a running service says at /metrics.
import assert from "node:assert/strict"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { before, test } from "node:test"
import { parser } from "@prometheus-io/lezer-promql"
import { parse } from "yaml"
import { startTestServer } from "../../packages/stores/testing/postgres/test-server.ts"
import { startTestCluster } from "../../packages/stores/testing/redis/test-cluster.ts"
import { root } from "../../scripts/repository.ts"
import { startService } from "../http/service.ts"
import { temporaryDirectory } from "../http/temporary.ts"
import { openTrialProviders } from "../http/trial-providers.ts"

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook_url: string }
}
interface Panel {
  readonly title: string
  readonly type: string
  readonly gridPos: {
    readonly x: number
    readonly y: number
    readonly w: number
    readonly h: number
  }
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

const folder = join(root, "deploy", "monitoring")
const read = (name: string): string => readFileSync(join(folder, name), "utf8")
const { groups } = parse(read("alerts.yaml")) as {
  groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[]
}
const rules = groups.flatMap((group) => group.rules)
const dashboard = JSON.parse(read("grafana.json")) as {
  readonly panels: readonly Panel[]
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: string }[]
  }
}
const targets = dashboard.panels.flatMap(({ targets: all = [] }) => all)

/** Labels that Prometheus adds to what it scrapes, and the metric it makes itself. */
const SCRAPED = ["job", "instance"]
const OF_PROMETHEUS: Metric = { labels: new Set(SCRAPED), samples: [{}] }

interface Metric {
  readonly labels: Set<string>
  readonly samples: Record<string, string>[]
}
let metrics: Map<string, Metric>

before(async () => {
  const trial = await openTrialProviders()
  const sinks = join(temporaryDirectory(), "sinks.json")
  writeFileSync(sinks, JSON.stringify({ file: [{ name: "lake", path: "lake.ndjson" }] }))
  await using service = await startService({
    args: ["--workers", "1"],
    env: {
      ASSAY_PROVIDERS: trial.settings([trial.carrierSettings("trial", ["+99"])]),
      ASSAY_SINKS: sinks,
      // Nobody answers there, which is enough for the metrics of asking.
      ASSAY_DNS: "127.0.0.1:9",
      ASSAY_WEBHOOK_ALLOW: "10.255.255.254",
    },
  })
  const webhook = { url: "https://10.255.255.254/hook", events: ["risk.email.changed"] }
  const made = await service.request("/api/v1/webhooks", { json: webhook })
  assert.equal(made.status, 201, await made.text())
  const json = { email: "a@mail.example" }
  await service.request("/api/v1/risk/score", { json })
  await service.request("/api/v1/phone-risk", { json: { phone_number: "+99999991000" } })
  await service.request("/api/v1/risk/score", { json: {} })
  do metrics = metricsIn(await (await service.request("/metrics")).text())
  while (!metrics.has("assay_slo_month_availability_ratio"))
  const ofNode = await metricsOfNode().catch((error: unknown) => {
    if (process.env["CI"] === "true") throw error
    return NODE_METRICS.map((name) => [name, OF_PROMETHEUS] as const)
  })
  for (const [name, metric] of ofNode) metrics.set(name, metric)
})

/** Where engines are missing: what the page of operating has. */
const NODE_METRICS = [
  ...readFileSync(join(root, "docs", "operating.md"), "utf8").matchAll(/^\| `(assay_node_\w+)`/gm),
].map(([, name = ""]) => name)

/** Those that a service has only among several nodes. */
async function metricsOfNode(): Promise<readonly [string, Metric][]> {
  const [postgres, cluster] = await Promise.all([startTestServer(), startTestCluster()])
  try {
    await using service = await startService({
      args: ["--workers", "1"],
      env: {
        DATABASE_URL: await postgres.createDatabase(),
        ASSAY_INDEX_URL: cluster.urls,
        ASSAY_INDEX_BUCKET_BITS: "6",
        ASSAY_INDEX_TIMEOUT_MS: "10000",
      },
    })
    for (;;) {
      const found = metricsIn(await (await service.request("/metrics")).text())
      const own = [...found].filter(([name]) => name.startsWith("assay_node_"))
      // Two are there once the node knows them.
      if (own.length === NODE_METRICS.length) return own
    }
  } finally {
    await Promise.all([postgres.stop(), cluster.stop()])
  }
}

/** Every metric by name, with its labels and samples. */
function metricsIn(text: string): Map<string, Metric> {
  const found = new Map<string, Metric>([["up", OF_PROMETHEUS]])
  const at = (name: string): Metric => {
    const metric = found.get(name) ?? { labels: new Set(SCRAPED), samples: [] }
    found.set(name, metric)
    return metric
  }
  for (const line of text.split("\n")) {
    const type = /^# TYPE (\w+) (\w+)$/.exec(line)
    if (type?.[1] !== undefined && type[2] !== "histogram") at(type[1])
    const sample = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line)
    if (sample?.[1] === undefined) continue
    const labels = Object.fromEntries(
      [...(sample[2] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [
        name ?? "",
        value ?? "",
      ]),
    )
    const metric = at(sample[1])
    for (const name of Object.keys(labels)) metric.labels.add(name)
    metric.samples.push(labels)
  }
  return found
}

interface Node {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** What is wrong with an expression; `known` are the metrics there are. */
function faultsOf(expression: string, known: Map<string, Metric>): string[] {
  const text = expression.replaceAll("$__rate_interval", "5m")
  const faults: string[] = []
  const selected: string[] = []
  const grouped: string[] = []
  const visit = (node: Node): void => {
    const source = text.slice(node.from, node.to)
    if (node.name === "⚠") faults.push(`cannot be read at ${node.from}: ${text.slice(node.from)}`)
    if (node.name === "VectorSelector") faults.push(...selectorFaults(source, known, selected))
    if (node.name === "GroupingLabels") grouped.push(...(source.match(/\w+/g) ?? []))
  }
  parser.parse(text).iterate({ enter: ({ name, from, to }) => visit({ name, from, to }) })
  if (selected.length === 0) faults.push("names no metric")
  for (const label of grouped)
    if (!selected.some((name) => known.get(name)?.labels.has(label) === true))
      faults.push(`groups by ${label}, which no metric in it has`)
  return faults
}

function selectorFaults(source: string, known: Map<string, Metric>, selected: string[]): string[] {
  const [name = ""] = /^[\w:]+/.exec(source) ?? []
  const metric = known.get(name)
  if (metric === undefined) return [`no metric ${name}`]
  selected.push(name)
  return [...source.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"/g)].flatMap(
    ([, label = "", operator = "", value = ""]) => {
      if (!metric.labels.has(label)) return [`${name} has no label ${label}`]
      if (SCRAPED.includes(label) || operator.startsWith("!")) return []
      // A status of failure is none that a sound service shows.
      if (label === "status" && value === "5..") return []
      const wanted = operator === "=" ? (text: string) => text === value : matcher(value)
      return metric.samples.some((sample) => wanted(sample[label] ?? ""))
        ? []
        : [`${name} has no ${label} ${operator} ${value}`]
    },
  )
}

const matcher = (pattern: string): ((text: string) => boolean) => {
  const expression = new RegExp(`^(?:${pattern})$`)
  return (text) => expression.test(text)
}

test("every alert asks for metrics and labels that a running service has", () => {
  assert.ok(rules.length >= 15)
  for (const { alert, expr } of rules) assert.deepEqual(faultsOf(expr, metrics), [], alert)
})

test("every panel asks for metrics and labels that a running service has, and shows its legend by them", () => {
  assert.ok(targets.length >= 20)
  for (const { expr, legendFormat } of targets) {
    assert.deepEqual(faultsOf(expr, metrics), [], expr)
    for (const [, label = ""] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
      assert.deepEqual(faultsOf(`sum by (${label}) (${expr})`, metrics), [], legendFormat)
  }
  const { list } = dashboard.templating
  assert.deepEqual(
    list.map(({ name }) => name),
    ["datasource", "job"],
  )
  assert.ok(metrics.has(/label_values\((\w+), job\)/.exec(list[1]?.query ?? "")?.[1] ?? ""))
})

test("an expression with a wrong metric, label, value or bracket would be found", () => {
  for (const [expr, fault] of [
    ["rate(assay_slo_request_total[5m])", /no metric assay_slo_request_total/],
    ["sum by (kinds) (assay_slo_requests_total)", /groups by kinds/],
    ['assay_slo_requests_total{king="score"}', /no label king/],
    ['assay_slo_requests_total{kind="scores"}', /no kind = scores/],
    ['assay_http_request_seconds_bucket{route=~"/api/v2/.*"}', /no route =~/],
    ["sum(rate(assay_slo_requests_total[5m])", /cannot be read/],
    ["vector(1)", /names no metric/],
    ["assay_http_request_seconds", /no metric assay_http_request_seconds/],
  ] as const)
    assert.match(faultsOf(expr, metrics).join("; "), fault, expr)
})

test("every alert names a severity and a runbook that is there, and every runbook is of an alert", () => {
  const page = readFileSync(join(root, "docs", "runbooks.md"), "utf8")
  const sections = [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title ?? "")
  assert.deepEqual(
    rules.map(({ alert }) => alert),
    sections,
  )
  assert.equal(new Set(sections).size, sections.length)
  for (const { alert, labels, annotations } of rules) {
    assert.match(labels.severity, /^(page|ticket)$/)
    assert.equal(annotations.runbook_url, `docs/runbooks.md#${alert.toLowerCase()}`)
    // A label that the expression has not would be shown as nothing.
    const { expr } = rules.find((rule) => rule.alert === alert) ?? { expr: "" }
    for (const [, label = ""] of annotations.summary.matchAll(/\$labels\.(\w+)/g))
      assert.deepEqual(faultsOf(`sum by (${label}) (${expr})`, metrics), [], alert)
  }
})

test("panels do not lie over each other", () => {
  const taken = new Set<string>()
  for (const { title, gridPos } of dashboard.panels)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.ok(x < 24, title)
        assert.ok(!taken.has(`${x} ${y}`), `${title} at ${x} ${y}`)
        taken.add(`${x} ${y}`)
      }
})

test("Prometheus is told of a path that the service has, and of the alerts", () => {
  const settings = parse(read("prometheus.yaml")) as {
    readonly scrape_configs: readonly { readonly job_name: string; readonly metrics_path: string }[]
    readonly rule_files: readonly string[]
  }
  assert.deepEqual(
    settings.scrape_configs.map(({ job_name: job, metrics_path: path }) => [job, path]),
    [["assay", "/metrics"]],
  )
  assert.deepEqual(settings.rule_files, ["alerts.yaml"])
})
