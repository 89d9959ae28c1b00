// The enrichment modules of examples/, run by Python as MISP, Cortex and OpenCTI would, against the
// real service.
import assert from "node:assert/strict"
import { execFile, spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, suite, test } from "node:test"
import {
  assertNamesNobody,
  examplePath,
  nobodyThere,
  PATIENCE_MS,
  PEOPLE,
  startDeafService,
  startPages,
  SWAPPED,
  UNREADABLE,
} from "./examples.ts"
import { bareEnvironment } from "./bare-environment.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const WITHOUT_PYTHON =
  spawnSync("python3", ["--version"]).status === 0 ? false : "there is no python3 on this machine"

interface Settings {
  readonly url: string
  readonly key: string
}

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

async function python(
  args: readonly string[],
  input = "",
  seconds = PATIENCE_MS / 1000,
): Promise<Ran> {
  const env = {
    ...bareEnvironment(),
    PYTHONDONTWRITEBYTECODE: "1",
    ASSAY_TIMEOUT_SECONDS: String(seconds),
  }
  return await new Promise((resolve) => {
    const child = execFile("python3", args, { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
    child.stdin?.end(input)
  })
}

/** Runs lines of Python with a folder of examples/ to import from; they print one line of JSON. */
async function called<T>(
  folder: string,
  script: string,
  input: unknown,
  seconds?: number,
): Promise<T> {
  const begin = `import json, sys\nsys.path.insert(0, ${JSON.stringify(examplePath(folder))})\n`
  const given = "given = json.load(sys.stdin)\n"
  const { code, stdout, stderr } = await python(
    ["-c", begin + given + script],
    JSON.stringify(input),
    seconds,
  )
  assert.equal(code, 0, stderr)
  // What is not asked for is not written: these lines would be in a log.
  assert.equal(stderr, "")
  return JSON.parse(stdout) as T
}

/** Before Python 3.10 the error has another name. */
function withoutVersion(text = ""): string {
  return text.replace(/: timeout$/, ": TimeoutError")
}

/** A test that is skipped, and listed as such, where its program is missing. */
function trial(name: string, run: () => Promise<void>): void {
  test(name, { skip: WITHOUT_PYTHON }, run)
}

suite("enrichment", () => {
  let service: Service
  let settings: Settings
  let deaf: string
  let pages: string
  before(async () => {
    if (WITHOUT_PYTHON !== false) return
    service = await startService({ args: ["--workers", "1"] })
    settings = { url: service.baseUrl, key: service.key ?? "" }
    deaf = await startDeafService()
    pages = await startPages()
  })
  after(async () => {
    if (WITHOUT_PYTHON === false) await service.stop()
  })

  interface MispAnswer {
    readonly error?: string
    readonly results?: { readonly Attribute: readonly Record<string, unknown>[] }
  }

  // https://misp.github.io/misp-modules/contribute/: what MISP sends for the format misp_standard.
  function mispRequest(
    type: string,
    value: string,
    { url, key } = settings,
  ): Record<string, unknown> {
    return {
      module: "assay",
      attribute: {
        uuid: "8e1e2d6e-3a70-4d6c-9fd5-d7e3cbd3f1a2",
        type,
        value,
        category: "Network activity",
        to_ids: true,
        Tag: [{ name: "tlp:amber" }, { name: 'assay:action="allow"' }],
      },
      config: { assay_url: url, assay_key: key },
    }
  }
  const misp = async (requests: readonly unknown[], seconds?: number): Promise<MispAnswer[]> =>
    await called(
      "misp",
      "import assay\nprint(json.dumps([assay.handler(json.dumps(each)) for each in given]))",
      requests,
      seconds,
    )

  trial(
    "misp: an attribute is tagged with the action and the stage, and the reasons are added",
    async () => {
      const [blocked, clean, swapped] = await misp([
        mispRequest("email-src", PEOPLE.block),
        mispRequest("email-dst", PEOPLE.allow),
        mispRequest("phone-number", SWAPPED),
      ])
      const [attribute, text] = blocked?.results?.Attribute ?? []
      const { attribute: given } = mispRequest("email-src", PEOPLE.block)
      const names = ["tlp:amber", 'assay:action="block"', 'assay:stage="ATTACKED"']
      assert.deepEqual(attribute, { ...(given as object), Tag: names.map((name) => ({ name })) })
      assert.match(String(text?.["value"]), /^Assay: \d+ of 100, block\. \w.+/)
      assert.match(String(text?.["uuid"]), /^[\da-f]{8}-[\da-f]{4}-4/)
      assert.deepEqual(
        [text?.["type"], text?.["category"], text?.["to_ids"], text?.["disable_correlation"]],
        ["text", "External analysis", false, true],
      )
      assertNamesNobody(String(text?.["value"]))
      const tags = (answer?: MispAnswer): unknown => answer?.results?.Attribute[0]?.["Tag"]
      assert.deepEqual(tags(clean), [
        { name: "tlp:amber" },
        { name: 'assay:action="allow"' },
        { name: 'assay:stage="LEAKED"' },
      ])
      // A number has no stage.
      assert.deepEqual(tags(swapped), [
        { name: "tlp:amber" },
        { name: 'assay:action="step_up_auth"' },
      ])
    },
  )

  trial("misp: what cannot be answered is an error of the module, which names nobody", async () => {
    const email = "email-src"
    const answers = await misp([
      mispRequest(email, PEOPLE.block, { ...settings, url: await nobodyThere() }),
      mispRequest(email, PEOPLE.block, { ...settings, url: pages }),
      mispRequest(email, PEOPLE.block, { ...settings, key: "ask_demo_wrong" }),
      mispRequest(email, UNREADABLE),
      mispRequest("ip-src", PEOPLE.block),
      { ...mispRequest(email, PEOPLE.block), config: null },
      { ...mispRequest(email, PEOPLE.block), attribute: { type: email } },
    ])
    assert.deepEqual(
      answers.map(({ error, results }) => [error, results]),
      [
        "Assay gave no answer: URLError",
        "Assay gave no answer: JSONDecodeError",
        "Assay answered with status 401",
        "This is no address and no number that Assay can read",
        "Unsupported attribute type.",
        "The settings assay_url and assay_key are needed.",
        "An attribute with a type, a value and a uuid is needed.",
      ].map((error) => [error, undefined]),
    )
    assertNamesNobody(JSON.stringify(answers), settings.key)
    const [silent] = await misp([mispRequest(email, PEOPLE.block, { ...settings, url: deaf })], 1)
    assert.equal(withoutVersion(silent?.error), "Assay gave no answer: TimeoutError")
  })

  trial("misp: the module says what it takes and is set by", async () => {
    const [introspection, version, nothing] = await called<
      [{ input: string[]; format: string }, { config: string[]; "module-type": string[] }, boolean]
    >(
      "misp",
      "import assay\nprint(json.dumps([assay.introspection(), assay.version(), assay.handler()]))",
      null,
    )
    assert.equal(introspection.format, "misp_standard")
    assert.ok(introspection.input.includes("email-src"))
    assert.deepEqual(version.config, ["assay_url", "assay_key"])
    assert.deepEqual(version["module-type"], ["expansion", "hover"])
    assert.equal(nothing, false)
  })

  interface CortexReport {
    readonly success: boolean
    readonly errorMessage?: string
    readonly summary?: { readonly taxonomies: readonly Record<string, string>[] }
    readonly artifacts?: readonly unknown[]
    readonly operations?: readonly unknown[]
    readonly full?: Record<string, unknown>
  }

  let jobs = 0
  const folder = temporaryDirectory()
  /** https://docs.strangebee.com/cortex/operations/input-output: a job is a folder of files. */
  async function cortex(
    input: Record<string, unknown>,
    seconds?: number,
  ): Promise<{ report: CortexReport; code: number; log: string }> {
    const job = join(folder, String(++jobs))
    mkdirSync(join(job, "input"), { recursive: true })
    writeFileSync(join(job, "input", "input.json"), JSON.stringify(input))
    const { code, stdout, stderr } = await python(
      [examplePath("cortex", "assay.py"), job],
      "",
      seconds,
    )
    const text = readFileSync(join(job, "output", "output.json"), "utf8")
    return { report: JSON.parse(text) as CortexReport, code, log: stdout + stderr }
  }
  function cortexInput(data: string, change: Partial<Settings> = {}): Record<string, unknown> {
    const { config } = JSON.parse(readFileSync(examplePath("cortex", "assay.json"), "utf8")) as {
      config: object
    }
    const dataType = data.startsWith("+") ? "phone" : "mail"
    return { data, dataType, tlp: 2, pap: 2, config: { ...config, ...settings, ...change } }
  }

  trial(
    "cortex: a job is answered with taxonomies and the whole answer, without the address",
    async () => {
      const { report, code, log } = await cortex(cortexInput(PEOPLE.block))
      assert.deepEqual([code, log, report.success], [0, "", true])
      const level = "malicious"
      const of = { level, namespace: "Assay" }
      const score = report.full?.["risk_score"]
      assert.deepEqual(report.summary?.taxonomies, [
        { ...of, predicate: "action", value: "block" },
        { ...of, predicate: "score", value: String(score) },
        { ...of, predicate: "stage", value: "ATTACKED" },
      ])
      assert.deepEqual([report.artifacts, report.operations], [[], []])
      const asked = await service.request("/api/v1/risk/score", { json: { email: PEOPLE.block } })
      const { email, ...answer } = (await asked.json()) as Record<string, unknown>
      assert.equal(email, PEOPLE.block)
      assert.deepEqual(report.full, { ...answer, action: answer["recommended_action"] })
      const levels = await Promise.all(
        [PEOPLE.allow, PEOPLE.step_up_auth, SWAPPED].map(async (data) => {
          const { report: other } = await cortex(cortexInput(data))
          return other.summary?.taxonomies[0]?.["level"]
        }),
      )
      assert.deepEqual(levels, ["info", "suspicious", "suspicious"])
    },
  )

  trial("cortex: what cannot be answered fails the job with a text that names nobody", async () => {
    const tries: [Record<string, unknown>, string][] = [
      [cortexInput(PEOPLE.block, { url: await nobodyThere() }), "Assay gave no answer: URLError"],
      [cortexInput(PEOPLE.block, { url: deaf }), "Assay gave no answer: TimeoutError"],
      [cortexInput(PEOPLE.block, { key: "ask_demo_wrong" }), "Assay answered with status 401"],
      [cortexInput(UNREADABLE), "This is no address and no number that Assay can read"],
      [{ ...cortexInput(PEOPLE.block), tlp: 3 }, "TLP is higher than allowed."],
      [{ ...cortexInput(PEOPLE.block), pap: 3 }, "PAP is higher than allowed."],
      [
        { ...cortexInput(PEOPLE.block), dataType: "ip" },
        "This datatype is not supported by this analyzer.",
      ],
    ]
    for (const [input, errorMessage] of tries) {
      const { report, code, log } = await cortex(
        input,
        errorMessage.endsWith("TimeoutError") ? 1 : undefined,
      )
      assert.deepEqual([report.success, withoutVersion(report.errorMessage)], [false, errorMessage])
      assert.deepEqual(Object.keys(report), ["success", "errorMessage"])
      assert.deepEqual([code, log], [1, ""])
    }
  })

  /** As much of pycti's helper as the connector calls; what it sent and logged is printed. */
  const HELPER = `
import main
LEVELS = ["TLP:CLEAR", "TLP:GREEN", "TLP:AMBER", "TLP:AMBER+STRICT", "TLP:RED"]
class Logger:
    def __init__(self): self.lines = []
    def warning(self, line): self.lines.append(line)
class Helper:
    def __init__(self): self.sent, self.connector_logger = [], Logger()
    def check_max_tlp(self, tlp, most): return LEVELS.index(tlp) <= LEVELS.index(most)
    def stix2_create_bundle(self, objects): return json.dumps({"type": "bundle", "objects": objects})
    def send_stix2_bundle(self, bundle): self.sent.append(json.loads(bundle)); return [bundle]
helper = Helper()
try: said, raised = main.process(helper, given["settings"], given["data"]), None
except ValueError as error: said, raised = None, str(error)
print(json.dumps({"said": said, "raised": raised, "sent": helper.sent, "log": helper.connector_logger.lines}))
`
  interface OpenctiRun {
    readonly said: string | null
    readonly raised: string | null
    readonly sent: readonly { readonly objects: readonly StixObject[] }[]
    readonly log: readonly string[]
  }
  interface StixObject {
    readonly type: string
    readonly id: string
    readonly extensions?: Record<string, Record<string, unknown>>
    readonly [member: string]: unknown
  }
  const SCO = "extension-definition--f93e2c80-4231-4f9a-af8b-95c9bd566a82"
  const CREATOR = { type: "identity", id: "identity--9d0c0f4c-2f5c-4f6f-8a53-8b6c6f2b8a11" }

  // https://docs.opencti.io/latest/development/connectors/: what the platform hands to a connector.
  function openctiData(value: string, change: Record<string, unknown> = {}): object {
    const type = value.startsWith("+") ? "phone-number" : "email-addr"
    const stix_entity = {
      type,
      id: `${type}--0f3c5d5e-6d65-5a2c-8a3e-1f5d8b6c7a90`,
      spec_version: "2.1",
      value,
      extensions: {
        [SCO]: { extension_type: "property-extension", labels: ["ours", "assay:allow"] },
      },
    }
    return {
      entity_id: stix_entity.id,
      event_type: "create",
      enrichment_entity: { objectMarking: [{ definition_type: "TLP", definition: "TLP:AMBER" }] },
      stix_entity,
      stix_objects: [CREATOR, stix_entity],
      ...change,
    }
  }
  const opencti = async (data: object, change: Partial<Settings> = {}): Promise<OpenctiRun> =>
    await called("opencti", HELPER, {
      settings: { ...settings, max_tlp: "TLP:AMBER", ...change },
      data,
    })

  trial(
    "opencti: an observable gets score, labels and a note, and its bundle is sent",
    async () => {
      const run = await opencti(openctiData(PEOPLE.block))
      assert.deepEqual([run.said, run.raised, run.log], ["Assay: block", null, []])
      assert.equal(run.sent.length, 1)
      const [creator, observable, note] = run.sent[0]?.objects ?? []
      assert.deepEqual(creator, CREATOR)
      const { score, labels } = observable?.extensions?.[SCO] ?? {}
      assert.ok(Number(score) >= 80)
      assert.deepEqual(labels, ["ours", "assay:block", "assay:attacked"])
      assert.equal(observable?.["value"], PEOPLE.block)
      assert.match(note?.id ?? "", /^note--[\da-f]{8}-[\da-f]{4}-5/)
      assert.deepEqual(note?.["object_refs"], [observable.id])
      assert.match(String(note["content"]), /^- \w/)
      assertNamesNobody(JSON.stringify(note))
      // The same answer of the same day is the same note.
      const again = await opencti(openctiData(PEOPLE.block))
      assert.deepEqual(again.sent[0]?.objects[2], note)
      const phone = await opencti(openctiData(SWAPPED))
      const other = phone.sent[0]?.objects[1]?.extensions?.[SCO]
      assert.deepEqual(other?.["labels"], ["ours", "assay:step_up_auth"])
    },
  )

  trial(
    "opencti: without an answer the work fails, and a playbook goes on with what it had",
    async () => {
      const [away, wrong] = [{ url: await nobodyThere() }, { key: "ask_demo_wrong" }]
      const red = { objectMarking: [{ definition_type: "TLP", definition: "TLP:RED" }] }
      const tries: [object, Partial<Settings>, string][] = [
        [openctiData(PEOPLE.block), away, "Assay gave no answer: URLError"],
        [openctiData(PEOPLE.block), wrong, "Assay answered with status 401"],
        [openctiData(UNREADABLE), {}, "This is no address and no number that Assay can read"],
        [
          openctiData(PEOPLE.block, { enrichment_entity: red }),
          {},
          "The TLP of the observable is higher than ASSAY_MAX_TLP",
        ],
        [
          openctiData(PEOPLE.block, { stix_entity: { type: "ipv4-addr", id: "ipv4-addr--1" } }),
          {},
          "Assay knows of e-mail addresses and phone numbers only",
        ],
      ]
      for (const [data, change, text] of tries) {
        const run = await opencti(data, change)
        assert.deepEqual([run.raised, run.sent, run.log], [text, [], []])
        const inPlaybook = await opencti({ ...data, event_type: null }, change)
        assert.deepEqual([inPlaybook.said, inPlaybook.raised, inPlaybook.log], [text, null, [text]])
        const { stix_objects } = data as { stix_objects: StixObject[] }
        assert.deepEqual(inPlaybook.sent, [{ type: "bundle", objects: stix_objects }])
      }
    },
  )
})

test("every Python example asks by the same lines, word for word", () => {
  const asking = ["misp/assay.py", "cortex/assay.py", "opencti/assay_stix.py"].map((file) => {
    const text = readFileSync(examplePath(file), "utf8")
    return text.slice(text.indexOf("class NoAnswer")).split("\n\n\nif __name__")[0]?.trim()
  })
  assert.equal(new Set(asking).size, 1)
  assert.match(asking[0] ?? "", /^class NoAnswer/)
})
