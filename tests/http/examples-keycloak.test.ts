// The providers of examples/keycloak, compiled and run by Java against the real service. Keycloak
// is not here: its interfaces are stand-ins with the signatures of its sources.
import assert from "node:assert/strict"
import { execFile, spawnSync } from "node:child_process"
import { cpSync, globSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { after, before, suite, test } from "node:test"
import { promisify } from "node:util"
import {
  assertNamesNobody,
  examplePath,
  nobodyThere,
  PATIENCE_MS,
  PEOPLE,
  startDeafService,
  startPages,
  STRANGERS,
  UNREADABLE,
} from "./examples.ts"
import { bareEnvironment } from "./bare-environment.ts"
import { DRIVER, standIns } from "./keycloak-stand-ins.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

/** 17 is what Keycloak 26 needs at least. */
function javaVersion(): number {
  const { stdout } = spawnSync("javac", ["--version"])
  return Number(/javac (\d+)/.exec(String(stdout))?.[1] ?? 0)
}
const WITHOUT_JAVA =
  javaVersion() >= 17 ? false : "there is no javac of 17 or newer on this machine"

const REFUSED = "email: This account cannot be created. Please contact support."
const AWAY = "email: Registration is not possible now. Please try again later."

/** A test that is skipped, and listed as such, where its program is missing. */
function trial(name: string, run: () => Promise<void>): void {
  test(name, { skip: WITHOUT_JAVA }, run)
}

suite("keycloak", () => {
  const directory = temporaryDirectory()
  const classes = join(directory, "classes")
  let service: Service
  let visits = 0

  before(async () => {
    if (WITHOUT_JAVA !== false) return
    const types: typeof standIns = { ...standIns, Driver: ["", DRIVER] }
    const sources = Object.entries(types).map(([name, [imports, declaration]]) => {
      const file = join(directory, "stand-ins", `${name.replaceAll(".", "/")}.java`)
      mkdirSync(dirname(file), { recursive: true })
      const inPackage = name.includes(".") ? `package ${name.replace(/\.\w+$/, "")};\n` : ""
      const imported = imports === "" ? [] : imports.split(", ").map((each) => `import ${each};`)
      writeFileSync(file, [inPackage, ...imported, declaration].join("\n"))
      return file
    })
    const example = globSync(examplePath("keycloak", "src", "**", "*.java"))
    assert.equal(example.length, 3)
    const args = ["-nowarn", "--release", "17", "-d", classes, ...sources, ...example]
    await promisify(execFile)("javac", args, { env: bareEnvironment() })
    cpSync(examplePath("keycloak", "resources"), classes, { recursive: true })
    service = await startService({ args: ["--workers", "1"] })
  })
  after(async () => {
    if (WITHOUT_JAVA === false) await service.stop()
  })

  /** What each meets, and the log. */
  async function meet(
    people: readonly (readonly [how: string, email: string])[],
    env: Record<string, string> = {},
    userAgent = "usual",
  ): Promise<{ met: string[]; log: string }> {
    const address = `198.18.${++visits}.7`
    const own = {
      ASSAY_URL: service.baseUrl,
      ASSAY_KEY: service.key ?? "",
      ASSAY_TIMEOUT_MS: String(PATIENCE_MS),
      ...env,
    }
    const { stdout, stderr } = await promisify(execFile)(
      "java",
      ["-cp", classes, "Driver", address, userAgent, ...people.flat()],
      { env: { ...bareEnvironment(), ...own } },
    )
    assertNamesNobody(stderr, own.ASSAY_KEY)
    return { met: stdout.trimEnd().split("\n"), log: stderr }
  }

  trial("a registration is refused where Assay says to block it, or cannot read it", async () => {
    const { met, log } = await meet([
      ["form", STRANGERS.keycloak],
      ["form", PEOPLE.step_up_auth],
      ["form", PEOPLE.block],
      ["form", UNREADABLE],
      ["form", ""],
    ])
    const refused = `error invalid_registration, ${REFUSED}`
    assert.deepEqual(met, ["success", "success", refused, refused, "success"])
    assert.match(log, /Assay recommends block, dec_\w+/)
    assert.match(log, /Assay cannot read it: status 422/)
    assert.doesNotMatch(log, /no answer/)
  })

  trial("a condition holds for what it is set to, and Assay is asked once a sign-in", async () => {
    for (const [email, expected] of [
      [PEOPLE.allow, ["false", "false", "false"]],
      [PEOPLE.step_up_auth, ["false", "true", "true"]],
      [PEOPLE.block, ["true", "true", "true"]],
      [UNREADABLE, ["false", "true", "true"]],
    ] as const) {
      const { met, log } = await meet([
        ["block", email],
        ["step_up", email],
        ["unset", email],
      ])
      assert.deepEqual(met, expected)
      assert.ok(log.split("Assay recommends").length <= 2)
    }
    assert.deepEqual((await meet([["step_up", ""]])).met, ["false"])
  })

  trial(
    "without an answer people go on, or are refused or asked for a factor where that is set",
    async () => {
      const failures: [Record<string, string>, RegExp][] = [
        [{ ASSAY_URL: await nobodyThere() }, /Assay gave no answer: ConnectException$/m],
        [
          { ASSAY_URL: await startDeafService(), ASSAY_TIMEOUT_MS: "1000" },
          /Assay gave no answer: TimeoutException$/m,
        ],
        [{ ASSAY_URL: await startPages() }, /Assay gave no answer: status 200$/m],
        [{ ASSAY_KEY: "ask_demo_wrong" }, /Assay gave no answer: status 401$/m],
      ]
      for (const [env, line] of failures) {
        const people = [
          ["form", PEOPLE.block],
          ["block", PEOPLE.block],
          ["step_up", PEOPLE.block],
        ] as const
        const open = await meet(people, env)
        assert.deepEqual(open.met, ["success", "false", "false"])
        assert.match(open.log, line)
        const closed = await meet(people, { ...env, ASSAY_FAIL_CLOSED: "true" })
        assert.deepEqual(closed.met, [`error invalid_registration, ${AWAY}`, "false", "true"])
        assert.match(closed.log, line)
      }
    },
  )

  trial("what a browser says of itself, and odd characters, bring no refusal about", async () => {
    const odd = '"quoted \\ \t"@mail.example'
    const { met, log } = await meet(
      [
        ["form", PEOPLE.block],
        ["form", odd],
      ],
      {},
      "endless",
    )
    assert.equal(met[0], `error invalid_registration, ${REFUSED}`)
    assert.doesNotMatch(log, /no answer/)
    assert.ok(!log.includes("quoted"))
  })
})
