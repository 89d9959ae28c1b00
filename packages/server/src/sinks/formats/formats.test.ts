import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import fc from "fast-check"
import { sampleEvents } from "../../../testing/sinks/sample-events.ts"
import { VERSION } from "../../base/version.ts"
import { cefOf } from "./cef.ts"
import { ecsOf } from "./ecs.ts"
import { findingOf, SUNK_KINDS, type SunkEvent } from "./finding.ts"
import { ocsfOf } from "./ocsf.ts"
import { sentinelOf } from "./sentinel.ts"
import { splunkOf } from "./splunk.ts"
import { framed, syslogMessage } from "./syslog.ts"

const HOST = "assay-1"
const formats: Record<string, (event: SunkEvent) => unknown> = {
  cef: cefOf,
  ecs: ecsOf,
  ocsf: ocsfOf,
  sentinel: sentinelOf,
  splunk: (event) => splunkOf(event, HOST),
}

const golden = join(import.meta.dirname, "../../../testing/sinks/golden")
for (const [name, format] of Object.entries(formats)) {
  test(`every kind of event is written as ${name} has it`, () => {
    const written = Object.fromEntries(sampleEvents().map((event) => [event.type, format(event)]))
    assert.deepEqual(Object.keys(written), SUNK_KINDS)
    // As JSON, since that is what is sent; the version of the program changes with each release.
    const text = JSON.stringify(written).replaceAll(`"${VERSION}"`, '"VERSION"')
    const expected: unknown = JSON.parse(readFileSync(join(golden, `${name}.json`), "utf8"))
    assert.deepEqual(JSON.parse(text.replaceAll(`|${VERSION}|`, "|VERSION|")), expected)
  })
}

const sample = (type: SunkEvent["type"]): SunkEvent =>
  sampleEvents().find((event) => event.type === type) ?? assert.fail(type)

test("severity follows the band, and what has no score by what it is", () => {
  const severities = Object.fromEntries(
    sampleEvents().map((event) => [event.type, findingOf(event).severity]),
  )
  assert.deepEqual(
    [severities["risk.email.changed"], severities["decision.critical"]],
    ["high", "critical"],
  )
  assert.deepEqual(
    [severities["exposure.added"], severities["key.created"], severities["import.failed"]],
    ["medium", "informational", "medium"],
  )
})

test("an identity is written where its tenant asked for it, and nowhere else", () => {
  const withIdentity = sample("risk.phone.changed")
  const { identity: _, ...data } = withIdentity.data
  for (const [name, format] of Object.entries(formats)) {
    assert.match(JSON.stringify(format(withIdentity)), /61491570156/, name)
    assert.doesNotMatch(JSON.stringify(format({ ...withIdentity, data })), /61491570156/, name)
  }
})

/** What a reader of CEF takes out of a line. */
function readCef(line: string): { header: string[]; extension: Record<string, string> } {
  const header: string[] = []
  let at = 0
  let field = ""
  for (; header.length < 7; at++) {
    const sign = line[at] ?? assert.fail("the header ends early")
    if (sign === "\\") field += line[++at] ?? ""
    else if (sign === "|") {
      header.push(field)
      field = ""
    } else field += sign
  }
  const extension: Record<string, string> = {}
  for (const [, name = "", value = ""] of line
    .slice(at)
    .matchAll(/(?:^| )(\w+)=((?:\\.|[^\\=])*?)(?= \w+=|$)/gs))
    extension[name] = value.replaceAll(/\\(.)/gs, (_, sign: string) => (sign === "n" ? "\n" : sign))
  return { header, extension }
}

test("whatever a name or reason holds, a line of CEF is one line that reads back", () => {
  const texts = fc.string({
    unit: fc.constantFrom("a", " ", "|", "\\", "=", "\n", "\r", "rt=", "ü", "😀"),
    maxLength: 20,
  })
  fc.assert(
    fc.property(texts, texts, (tenant, reason) => {
      const event = sample("decision.critical")
      const data = { ...event.data, reasons: [reason, "END"] }
      const line = cefOf({ ...event, tenant, data })
      assert.doesNotMatch(line, /[\r\n]/)
      const { header, extension } = readCef(line)
      assert.deepEqual(header.slice(0, 5), ["CEF:0", "Assay", "Assay", VERSION, event.type])
      const oneBreak = (text: string): string => text.replaceAll(/\r\n|\r/g, "\n")
      assert.equal(extension["cs2"], oneBreak(`${reason}; END`))
      assert.equal(extension["cs4"] ?? "", oneBreak(tenant))
    }),
    { seed: 5424, numRuns: 500 },
  )
})

test("messages of syslog are framed by their octets, with a header that no text can break", () => {
  const event = sample("risk.email.changed")
  const text = "ü|\n<13>1 not a header"
  const message = syslogMessage(event, { host: "häst name\n", pid: 7 }, text)
  assert.match(
    message,
    /^<107>1 2026-11-18T09:30:00\.125Z hstname assay 7 risk\.email\.changed - ü\|\n/,
  )
  const bytes = framed(message)
  const [length = ""] = bytes.toString().split(" ")
  assert.equal(bytes.subarray(length.length + 1).length, Number(length))
  assert.equal(bytes.subarray(length.length + 1).toString(), message)
  assert.match(syslogMessage(event, { host: "", pid: 7 }, "x"), /Z - assay /)
})
