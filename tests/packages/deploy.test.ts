import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import { publishedPackages, readRepositoryJson, root } from "../../scripts/repository.ts"

const unit = readFileSync(join(root, "deploy", "assay.service"), "utf8")
const containerfile = readFileSync(join(root, "deploy", "Containerfile"), "utf8")

/** The values a directive of the unit is given, comments left out. */
function values(directive: string): string[] {
  const prefix = `${directive}=`
  return unit
    .split("\n")
    .filter((line) => line.startsWith(prefix))
    .map((line) => line.slice(prefix.length))
}

/** The instructions of the Containerfile, continued lines joined, comments left out. */
const instructions = containerfile
  .split("\n")
  .filter((line) => !line.startsWith("#"))
  .join("\n")
  .replaceAll(/\\\n\s*/g, "")
  .split("\n")
  .filter((line) => line !== "")

test("the unit runs the service as nobody in particular, with two writable directories", () => {
  assert.deepEqual(values("DynamicUser"), ["yes"])
  assert.deepEqual(values("User"), [])
  assert.deepEqual(values("ProtectSystem"), ["strict"])
  assert.deepEqual(values("StateDirectory"), ["assay assay-tombstones"])
  assert.deepEqual(values("StateDirectoryMode"), ["0700"])
  assert.deepEqual(values("ReadWritePaths"), [])
  assert.deepEqual(values("NoNewPrivileges"), ["yes"])
  assert.deepEqual(values("CapabilityBoundingSet"), [""])
  assert.deepEqual(values("AmbientCapabilities"), [""])
})

test("the unit keeps the secret out of the data directory, the environment and core dumps", () => {
  assert.deepEqual(values("LoadCredential"), ["secret:/etc/assay/secret"])
  assert.deepEqual(values("LimitCORE"), ["0"])
  const environment = values("Environment")
  assert.ok(environment.includes("ASSAY_SECRET_FILE=%d/secret"))
  assert.ok(environment.includes("ASSAY_DATA=%S/assay"))
  assert.ok(environment.includes("ASSAY_TOMBSTONES=%S/assay-tombstones/tombstones"))
  assert.ok(environment.includes("NODE_ENV=production"))
})

test("the line that installs the unit's packages takes all of them, from where a release puts them", () => {
  assert.match(unit, /^# +npm run release -- --dry-run$/m)
  const [, pattern = ""] = /npm install --prefix \/opt\/assay .*\.\/dist\/(\S+)$/m.exec(unit) ?? []
  assert.equal(pattern, "assay-*.tgz")
  assert.ok(publishedPackages.includes("packages/client"))
  for (const folder of publishedPackages) {
    const { name } = readRepositoryJson(`${folder}/package.json`) as { name: string }
    assert.match(name.replace("@", "").replace("/", "-"), /^assay-/)
  }
})

test("the unit stops and reloads the service in order", () => {
  assert.deepEqual(values("KillSignal"), ["SIGTERM"])
  assert.deepEqual(values("KillMode"), ["mixed"])
  assert.deepEqual(values("ExecReload"), ["/bin/kill -HUP $MAINPID"])
  const [stopSeconds = ""] = values("TimeoutStopSec")
  // Longer than the 20 s the service gives requests in flight, or systemd would cut them off.
  assert.ok(Number(stopSeconds) > 20)
})

test("the unit lets V8 compile, and says why", () => {
  assert.deepEqual(values("MemoryDenyWriteExecute"), [])
  assert.match(unit, /^# MemoryDenyWriteExecute cannot be used: V8/m)
})

test("systemd accepts the unit and finds it closely confined", (context) => {
  withSystemdAnalyze(context, (analyze, file) => {
    const verified = analyze("verify", file)
    assert.equal(verified.status, 0, verified.output)
    assert.equal(verified.output, "")
    // Exposure in tenths, from 0 to 100; what is left is the network, which a service needs.
    const rated = analyze("security", "--offline=true", "--no-pager", "--threshold=15", file)
    assert.equal(rated.status, 0, rated.output)
  })
})

test("systemd would refuse a unit with a directive it does not know", (context) => {
  withSystemdAnalyze(context, (analyze, file) => {
    writeFileSync(file, readFileSync(file, "utf8").replace("NoNewPrivileges", "NoNewPrivilege"))
    assert.match(analyze("verify", file).output, /Unknown key (name )?'NoNewPrivilege'/)
  })
})

test("the image runs as a numeric user that is not root", () => {
  const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith("FROM ")))
  assert.deepEqual(
    last.filter((line) => line.startsWith("USER ")),
    ["USER 65532:65532"],
  )
  assert.ok(last.includes("VOLUME /data /tombstones"))
  assert.ok(last.includes("STOPSIGNAL SIGTERM"))
  // Anything written after the switch would be writable by the service itself.
  const afterUser = last.slice(last.findIndex((line) => line.startsWith("USER ")))
  assert.deepEqual(
    afterUser.filter((line) => /^(COPY|ADD|RUN) /.test(line)),
    [],
  )
})

test("the image holds no development package, no source and no secret", () => {
  const stages = instructions.join("\n").split(/^FROM /m)
  const last = stages.at(-1) ?? ""
  assert.match(stages.find((stage) => stage.includes(" AS modules")) ?? "", /npm ci --omit=dev/)
  assert.doesNotMatch(last, /\/src\b|npm /)
  assert.ok(last.split("\n").every((line) => !/^COPY (?!--from=)/.test(line)))
  assert.match(last, /ASSAY_SECRET_FILE=\/run\/secrets\/assay\b/)
  assert.match(last, /ASSAY_DATA=\/data\b/)
  assert.match(last, /ASSAY_TOMBSTONES=\/tombstones\/tombstones\b/)
  assert.match(last, /NODE_ENV=production\b/)
  assert.match(last, /HOST=0\.0\.0\.0\b/)
})

test("the image's health check asks the service itself", () => {
  const check = instructions.find((line) => line.startsWith("HEALTHCHECK ")) ?? ""
  const [command, ...args] = JSON.parse(check.slice(check.indexOf("["))) as string[]
  assert.equal(command, "node")
  assert.match(args.join(" "), /\/healthz/)
  // The first of several nodes makes tables and index before it listens, and others wait for it. As
  // long as the pods' probe gives it.
  assert.match(check, / --start-period=10m /)
  // Nothing listens on port 1, so the check must fail there rather than hang or pass.
  const { status } = spawnSync(process.execPath, args, { env: { PORT: "1" }, timeout: 10_000 })
  assert.equal(status, 1)
})

test("all that the image's stages copy from the checkout is there and enters the build context", () => {
  const copied = instructions
    .filter((line) => /^COPY (?!--from=)/.test(line))
    .flatMap((line) => line.split(" ").slice(1, -1))
  assert.ok(copied.length > 0)
  const ignoring = readFileSync(join(root, "deploy", "Containerfile.dockerignore"), "utf8").split(
    "\n",
  )
  assert.ok(ignoring.includes("*"))
  for (const path of copied) {
    assert.ok(existsSync(join(root, path)), `${path} does not exist`)
    assert.ok(ignoring.includes(`!${path.split("/")[0] ?? ""}`), `${path} is kept out`)
  }
  const { workspaces } = readRepositoryJson("package.json") as { workspaces: string[] }
  for (const folder of workspaces) assert.ok(copied.includes(`${folder}/package.json`), folder)
})

test("the image is built from the registries of images and of npm alone, and runs no script of a package", () => {
  const images = instructions.flatMap(
    (line) => /^(?:FROM|ARG NODE_IMAGE=)\s*(\S+)/.exec(line)?.[1] ?? [],
  )
  assert.deepEqual([...new Set(images)], ["docker.io/library/node:26-slim", "${NODE_IMAGE}"])
  const commands = instructions
    .filter((line) => line.startsWith("RUN "))
    .flatMap((line) => line.slice("RUN ".length).split("&&"))
    .map((command) => command.trim())
  assert.ok(commands.length >= 4)
  for (const command of commands)
    assert.match(command, /^(?:npm ci (?=.*--ignore-scripts)|npm run prepack |install -d )/)
  assert.ok(!instructions.some((line) => line.startsWith("ADD ")))
  const { packages } = readRepositoryJson("package-lock.json") as {
    packages: Record<string, { resolved?: string; link?: true; integrity?: string }>
  }
  const brought = Object.entries(packages).filter(
    ([path, { link }]) => path.includes("node_modules/") && link !== true,
  )
  assert.ok(brought.length > 100)
  for (const [path, { resolved, integrity }] of brought) {
    // Without an address it is the registry's.
    if (resolved !== undefined) assert.match(resolved, /^https:\/\/registry\.npmjs\.org\//, path)
    assert.match(integrity ?? "", /^sha512-/, path)
  }
})

type Analyze = (...args: string[]) => { readonly status: number | null; readonly output: string }

/** Calls `use` with systemd-analyze and a copy of the unit whose programs exist on this machine. */
function withSystemdAnalyze(context: TestContext, use: (run: Analyze, file: string) => void): void {
  if (spawnSync("systemd-analyze", ["--version"]).error !== undefined) {
    context.skip("no systemd-analyze on this machine")
    return
  }
  const folder = mkdtempSync(join(tmpdir(), "assay-unit-"))
  try {
    const file = join(folder, "assay.service")
    writeFileSync(file, unit.replace("ExecStart=/usr/bin/node ", `ExecStart=${process.execPath} `))
    use((...args) => {
      const { status, stdout, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8" })
      return { status, output: stdout + stderr }
    }, file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
