// The packages as their users get them: packed, installed into an empty folder elsewhere, and run
// by plain Node, without the repository's sources or its `source` condition.
import assert from "node:assert/strict"
import { execFile, spawn, type ChildProcess } from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { after, before, suite, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { promisify } from "node:util"
import { publishedPackages, root, toolEnvironment } from "../../scripts/repository.ts"
import { freePort } from "../../packages/stores/testing/free-port.ts"

const run = promisify(execFile)

const folder = mkdtempSync(join(tmpdir(), "assay-pack-"))
const tarballs = join(folder, "tarballs")
const consumer = join(folder, "consumer")
const installed = join(consumer, "node_modules", "@assay")

/**
 * What a user's shell has: this Node first, and nothing of the repository, npm's scripts or the
 * test runner.
 */
const environment: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|ASSAY_|NODE_(?!EXTRA_CA))/.test(name)),
  ),
  PATH: [
    dirname(process.execPath),
    ...(process.env.PATH ?? "").split(delimiter).filter((each) => !each.startsWith(root)),
  ].join(delimiter),
}
/**
 * Without install scripts: what runs in production must not need one. What npm has of a registry's
 * packages is not asked for again.
 */
const INSTALL = [
  "install",
  "--no-audit",
  "--no-fund",
  "--ignore-scripts",
  "--prefer-offline",
  "--no-package-lock",
]
const inConsumer = { cwd: consumer, env: environment, timeout: 900_000 }

suite("the packed packages", () => {
  before(pack)
  after(() => rmSync(folder, { recursive: true, force: true }))

  test("hold no TypeScript source, no test and no data of a test", () => {
    for (const name of ["core", "client", "server"]) {
      const files = globSync("**", { cwd: join(installed, name), exclude: ["node_modules"] })
      assert.ok(files.includes("LICENSE"), `${name} has no LICENSE`)
      assert.ok(files.some((file) => file.startsWith("dist/") && file.endsWith(".js")))
      const strays = files.filter(
        (file) =>
          (file.endsWith(".ts") && !file.endsWith(".d.ts")) ||
          /(^|\/)((test|suite)-[^/]*|[^/]*[.-](test|suite)(\.d)?\.[jt]s|golden\.json|vectors\.json|src)$/.test(
            file,
          ),
      )
      assert.deepEqual(strays, [], `${name} ships what it should not`)
    }
  })

  test("are made while a service of the same folder goes on serving its pages", () => {
    assert.deepEqual([...missing], [])
  })

  test("install no copy of themselves from elsewhere", () => {
    const nested = globSync("node_modules/**/@assay/*/package.json", { cwd: consumer })
    assert.deepEqual(
      nested.sort(),
      ["client", "core", "server"].map((name) => `node_modules/@assay/${name}/package.json`),
    )
  })

  test("core reads identities and holds the contract, in plain Node", async () => {
    const output = await evaluate(`
      import { parseEmail, parsePhone } from "@assay/core/identity"
      import { EmailRiskRequest } from "@assay/core/contract"
      import * as score from "@assay/core/score"
      console.log(JSON.stringify({
        mailbox: parseEmail("First.Last+shop@GoogleMail.com").canonical,
        refused: "fault" in parseEmail("nobody"),
        phone: parsePhone("+447700900123").e164,
        schema: EmailRiskRequest.type,
        score: Object.keys(score).filter((name) => name.startsWith("assess")).sort(),
      }))
    `)
    assert.deepEqual(JSON.parse(output), {
      mailbox: "firstlast@gmail.com",
      refused: true,
      phone: "+447700900123",
      schema: "object",
      score: ["assessEmail", "assessPhone"],
    })
  })

  test("core keeps its inner modules to itself", async () => {
    await assert.rejects(
      evaluate(`import "@assay/core/dist/identity/email.js"`),
      /ERR_PACKAGE_PATH_NOT_EXPORTED/,
    )
  })

  test("client can be imported in plain Node", async () => {
    const names = JSON.parse(
      await evaluate(`
        import * as client from "@assay/client"
        console.log(JSON.stringify(Object.keys(client)))
      `),
    ) as string[]
    assert.notDeepEqual(names, [])
  })

  test("client can be linked to from a checkout that has built it, as npm start does", async () => {
    const linking = join(folder, "linking")
    mkdirSync(linking)
    writeFileSync(join(linking, "package.json"), JSON.stringify({ private: true, type: "module" }))
    const options = { ...inConsumer, cwd: linking }
    const client = join(root, "packages", "client")
    await run("npm", [...INSTALL, client], options)
    writeFileSync(
      join(linking, "module.js"),
      `import { createClient } from "@assay/client"; console.log(typeof createClient)`,
    )
    const { stdout } = await run(process.execPath, ["module.js"], options)
    assert.equal(stdout, "function\n")
  })

  test("a strict TypeScript program compiles against the declarations", async () => {
    writeFileSync(join(consumer, "program.ts"), program)
    // Wrong use must not compile, or the types are empty.
    const wrong = program.replace("parsed.canonical", "parsed.nonsense")
    writeFileSync(join(consumer, "wrong-program.ts"), wrong)
    assert.match(
      await faultsOf("program.ts", "wrong-program.ts"),
      /^wrong-program\.ts.*TS2339.*\n$/,
    )
  })

  test("assay --help explains itself and an unknown verb fails", async () => {
    const { stdout } = await run("npx", ["--no-install", "assay", "--help"], inConsumer)
    assert.match(stdout, /serve/)
    await assert.rejects(run("npx", ["--no-install", "assay", "no-such-verb"], inConsumer))
  })

  test("assay serve answers, and ends in order when asked to", async () => {
    const data = join(folder, "data")
    await whileServing({ ASSAY_DATA: data }, {}, async (url) => {
      const unauthorised = await fetch(`${url}/api/v1/risk/score`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email: "someone@example.com" }),
      })
      assert.equal(unauthorised.status, 401)
      assert.match(unauthorised.headers.get("content-type") ?? "", /^application\/problem\+json/)
    })
    assert.notDeepEqual(readdirSync(data), [])
  })

  test("assay serve runs in production as a user without a name, as it does in the image", async (context) => {
    if (process.getuid?.() !== 0) {
      context.skip("only root can start a process as another user")
      return
    }
    const user = { uid: 65_532, gid: 65_532 }
    const data = join(folder, "data-of-another")
    const secret = join(folder, "secret")
    const tombstones = join(folder, "tombstones-of-another")
    for (const own of [data, tombstones]) mkdirSync(own, { mode: 0o700 })
    writeFileSync(secret, randomBytes(32).toString("hex"), { mode: 0o400 })
    for (const path of [data, tombstones, secret]) chownSync(path, user.uid, user.gid)
    chmodSync(folder, 0o755)
    const env = {
      NODE_ENV: "production",
      ASSAY_DATA: data,
      ASSAY_SECRET_FILE: secret,
      ASSAY_TOMBSTONES: join(tombstones, "tombstones"),
    }
    await whileServing(env, user, async (url) => {
      assert.equal((await fetch(`${url}/readyz`)).status, 200)
    })
    assert.notDeepEqual(readdirSync(data), [])
  })
})

const program = `
import { parseEmail } from "@assay/core/identity"
const parsed = parseEmail("someone@example.com")
export const mailbox: string | null = "fault" in parsed ? null : parsed.canonical
export * from "@assay/client"
export * from "@assay/core/contract"
export * from "@assay/core/score"
`

/** Files for browsers that were named and not there while the packages were made. */
const missing = new Set<string>()

async function pack(): Promise<void> {
  const workspaces = publishedPackages.flatMap((each) => ["-w", each])
  // The checkout's tools compile; from here on nothing of the checkout is on the PATH.
  for (const each of [tarballs, consumer]) mkdirSync(each)
  const served = join(root, "packages/server/console")
  const { files: named } = JSON.parse(readFileSync(join(served, "manifest.json"), "utf8")) as {
    files: string[]
  }
  const looking = setInterval(() => {
    // A folder that is read while a file is replaced in it may leave that file out.
    const there = new Set(readdirSync(served))
    for (const name of named.filter((each) => !there.has(`${each}.gz`)))
      if (!existsSync(join(served, `${name}.gz`))) missing.add(name)
  }, 20)
  await run("npm", ["pack", ...workspaces, "--pack-destination", tarballs], {
    cwd: root,
    // In a test's process NODE_TEST_CONTEXT would make the build report to this runner.
    timeout: 900_000,
    env: toolEnvironment({ NODE_TEST_CONTEXT: undefined }),
  }).finally(() => clearInterval(looking))
  writeFileSync(join(consumer, "package.json"), JSON.stringify({ private: true, type: "module" }))
  const files = readdirSync(tarballs).map((file) => join(tarballs, file))
  assert.equal(files.length, publishedPackages.length)
  await run("npm", [...INSTALL, ...files], inConsumer)
}

/** What a module with this text prints when the consumer runs it. */
async function evaluate(text: string): Promise<string> {
  const file = join(consumer, "module.js")
  writeFileSync(file, text)
  return (await run(process.execPath, [file], inConsumer)).stdout
}

/** The compiler's messages about modules in the consumer's folder. */
async function faultsOf(...modules: string[]): Promise<string> {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc")
  const options = [
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--module",
    "nodenext",
    "--target",
    "es2024",
  ]
  return await run(process.execPath, [tsc, ...options, ...modules], inConsumer).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error as { stdout: string }).stdout,
  )
}

/**
 * Runs the installed service, waits for its health, calls `use` with its address and stops it in
 * order.
 */
async function whileServing(
  settings: NodeJS.ProcessEnv,
  user: { uid?: number; gid?: number },
  use: (url: string) => Promise<void>,
): Promise<void> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const assay = join(installed, "server", "bin", "assay.js")
  const env = { ...environment, HOST: "127.0.0.1", PORT: String(port), ...settings }
  const server = spawn(process.execPath, [assay, "serve"], { cwd: consumer, env, ...user })
  const output: string[] = []
  for (const stream of [server.stdout, server.stderr]) {
    stream.on("data", (chunk: Buffer) => output.push(chunk.toString()))
  }
  const ended = once(server, "exit")
  try {
    const health = await firstAnswer(`${url}/healthz`, server)
    assert.equal(health.status, 200)
    await use(url)
    server.kill("SIGTERM")
    assert.deepEqual(await ended, [0, null])
  } catch (error) {
    throw new Error(`the service said: ${output.join("")}`, { cause: error })
  } finally {
    server.kill("SIGKILL")
  }
}

/**
 * The first answer of a server that is starting; throws when it ends or stays silent for minutes.
 */
async function firstAnswer(url: string, server: ChildProcess): Promise<Response> {
  const deadline = performance.now() + 300_000
  for (;;) {
    try {
      return await fetch(url)
    } catch (cause) {
      const isOver = server.exitCode !== null || server.signalCode !== null
      if (isOver || performance.now() > deadline)
        throw new Error(`no answer from ${url}`, { cause })
      await delay(50)
    }
  }
}
