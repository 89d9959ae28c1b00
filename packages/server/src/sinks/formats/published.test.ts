// Records held to what the formats' owners publish: which members there are, of which type, and
// which words they may hold. Members that the formats do not know would be lost or refused there.
import assert from "node:assert/strict"
import { test } from "node:test"
import { sampleEvents } from "../../../testing/sinks/sample-events.ts"
import { ecsOf } from "./ecs.ts"
import { ocsfOf } from "./ocsf.ts"

type Leaf = "text" | "texts" | "integer" | "number" | "time" | "boolean" | "milliseconds"

const IS: Readonly<Record<Leaf, (value: unknown) => boolean>> = {
  text: (value) => typeof value === "string" && value !== "",
  texts: (value) => Array.isArray(value) && value.length > 0 && value.every(IS.text),
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === "number",
  time: (value) => typeof value === "string" && !Number.isNaN(Date.parse(value)),
  boolean: (value) => typeof value === "boolean",
  milliseconds: (value) => Number.isInteger(value) && (value as number) > 1_500_000_000_000,
}

/** The leaves of a record by their paths; elements of arrays of objects have `[]`. */
function leavesOf(record: object, before = ""): [path: string, value: unknown][] {
  return Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
    const path = before + name
    if (Array.isArray(value) && typeof value[0] === "object")
      return value.flatMap((each: object) => leavesOf(each, `${path}[].`))
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return leavesOf(value, `${path}.`)
    return [[path, value] as [string, unknown]]
  })
}

function assertFits(
  record: object,
  known: Readonly<Record<string, Leaf>>,
  required: readonly string[],
  free: string,
): void {
  // As it is sent.
  const leaves = leavesOf(JSON.parse(JSON.stringify(record)) as object)
  for (const [path, value] of leaves) {
    if (path.startsWith(free)) continue
    const leaf = known[path] ?? assert.fail(`${path} is no member`)
    assert.ok(IS[leaf](value), `${path} is no ${leaf}: ${String(value)}`)
  }
  const paths = leaves.map(([path]) => path)
  for (const path of required) assert.ok(paths.includes(path), `${path} is missing`)
}

/** Fields of the Elastic Common Schema 9.4, with types as JSON has them. */
const ECS: Readonly<Record<string, Leaf>> = {
  "@timestamp": "time",
  message: "text",
  "ecs.version": "text",
  "event.id": "text",
  "event.kind": "text",
  "event.category": "texts",
  "event.type": "texts",
  "event.action": "text",
  "event.module": "text",
  "event.dataset": "text",
  "event.provider": "text",
  "event.severity": "integer",
  "event.risk_score": "number",
  "event.risk_score_norm": "number",
  "event.reason": "text",
  "observer.vendor": "text",
  "observer.product": "text",
  "observer.version": "text",
  "organization.name": "text",
  "user.id": "text",
  "user.email": "text",
  "user.risk.static_score": "number",
  "user.risk.static_score_norm": "number",
  "user.risk.static_level": "text",
}
const ECS_KINDS = [
  "alert",
  "asset",
  "enrichment",
  "event",
  "metric",
  "state",
  "pipeline_error",
  "signal",
]
/** Of the categories that are used: the types that ECS expects with each. */
const ECS_TYPES: Readonly<Record<string, readonly string[]>> = {
  api: [
    "access",
    "admin",
    "allowed",
    "change",
    "creation",
    "deletion",
    "denied",
    "end",
    "info",
    "start",
    "user",
  ],
  configuration: ["access", "change", "creation", "deletion", "info"],
  database: ["access", "change", "error", "info"],
  email: ["info"],
  iam: ["admin", "change", "creation", "deletion", "group", "info", "user"],
  threat: ["indicator"],
}

test("every document has only fields of ECS, of their types, with words that ECS expects", () => {
  for (const event of sampleEvents()) {
    const document = ecsOf(event)
    assertFits(
      document,
      ECS,
      ["@timestamp", "ecs.version", "event.kind", "event.category", "event.type"],
      "assay.",
    )
    const { event: of } = document as {
      event: { kind: string; category: string[]; type: string[] }
    }
    assert.ok(ECS_KINDS.includes(of.kind))
    for (const category of of.category) {
      const types = ECS_TYPES[category] ?? assert.fail(category)
      for (const type of of.type) assert.ok(types.includes(type), `${category}: ${type}`)
    }
  }
})

/** Attributes of the class Detection Finding (2004) of OCSF 1.8 and of objects in it. */
const OCSF: Readonly<Record<string, Leaf>> = {
  activity_id: "integer",
  activity_name: "text",
  category_uid: "integer",
  category_name: "text",
  class_uid: "integer",
  class_name: "text",
  type_uid: "integer",
  type_name: "text",
  time: "milliseconds",
  message: "text",
  severity_id: "integer",
  severity: "text",
  status_id: "integer",
  status: "text",
  is_alert: "boolean",
  risk_score: "integer",
  risk_level_id: "integer",
  risk_level: "text",
  "metadata.version": "text",
  "metadata.uid": "text",
  "metadata.event_code": "text",
  "metadata.tenant_uid": "text",
  "metadata.product.name": "text",
  "metadata.product.vendor_name": "text",
  "metadata.product.version": "text",
  "finding_info.uid": "text",
  "finding_info.title": "text",
  "finding_info.desc": "text",
  "finding_info.types": "texts",
  "finding_info.created_time": "milliseconds",
  "finding_info.analytic.name": "text",
  "finding_info.analytic.version": "text",
  "finding_info.analytic.type_id": "integer",
  "finding_info.analytic.type": "text",
  "observables[].name": "text",
  "observables[].type_id": "integer",
  "observables[].type": "text",
  "observables[].value": "text",
}
const OCSF_REQUIRED = [
  "activity_id",
  "category_uid",
  "class_uid",
  "type_uid",
  "time",
  "severity_id",
  "metadata.version",
  "metadata.product.vendor_name",
  "finding_info.uid",
]
/** What numbers stand for; each stands beside its words, which must be these. */
const OCSF_WORDS: Readonly<
  Record<string, readonly [words: string, Readonly<Record<number, string>>]>
> = {
  activity_id: ["activity_name", { 1: "Create", 2: "Update", 3: "Close" }],
  category_uid: ["category_name", { 2: "Findings" }],
  class_uid: ["class_name", { 2004: "Detection Finding" }],
  type_uid: ["type_name", { 200401: "Detection Finding: Create" }],
  severity_id: [
    "severity",
    { 1: "Informational", 2: "Low", 3: "Medium", 4: "High", 5: "Critical", 6: "Fatal" },
  ],
  status_id: ["status", { 1: "New", 2: "In Progress", 3: "Suppressed", 4: "Resolved" }],
  risk_level_id: ["risk_level", { 0: "Info", 1: "Low", 2: "Medium", 3: "High", 4: "Critical" }],
}

test("every finding has only attributes of OCSF's class, of their types, with its numbers and words", () => {
  for (const event of sampleEvents()) {
    const finding = ocsfOf(event) as Record<string, unknown>
    assertFits(finding, OCSF, OCSF_REQUIRED, "unmapped.")
    for (const [number, [words, meanings]] of Object.entries(OCSF_WORDS))
      if (number in finding)
        assert.equal(finding[words], meanings[finding[number] as number], number)
    assert.equal(finding["type_uid"], 2004 * 100 + (finding["activity_id"] as number))
    for (const { name, value } of (finding["observables"] ?? []) as {
      name: string
      value: string
    }[]) {
      const at = name
        .split(".")
        .reduce<unknown>((of, part) => (of as Record<string, unknown>)[part], finding)
      assert.equal(at, value, "an observable points at what it observes")
    }
  }
})
