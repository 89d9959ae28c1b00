// Runs before start, test, soak and bench. On a fresh clone the only Node is the machine's own,
// which may be as old as 18, so this file is plain CommonJS and uses nothing newer and nothing
// installed.
"use strict"

const { spawnSync } = require("node:child_process")
const { createHash } = require("node:crypto")
const fs = require("node:fs")
const path = require("node:path")

const root = path.join(__dirname, "..")
const modules = path.join(root, "node_modules")
const stampFile = path.join(modules, ".assay-stamp")
const browserStampFile = path.join(modules, ".assay-browser-stamp")
const clientStampFile = path.join(modules, ".assay-client-stamp")
const consoleStampFile = path.join(modules, ".assay-console-stamp")
const sealerStampFile = path.join(modules, ".assay-sealer-stamp")
const programsStampFile = path.join(modules, ".assay-programs-stamp")

/**
 * What the tests run against besides npm packages: any one of `commands`, of which the first is the
 * cheapest, from the first of `packages` that exists.
 */
const engines = [
  { commands: ["redis-server"], packages: ["redis-server"] },
  {
    // The browser without the parts for windows takes less of the processor.
    commands: ["chromium-headless-shell", "chromium"],
    packages: ["chromium-headless-shell", "chromium"],
  },
  { commands: ["age"], packages: ["age"] },
  { commands: ["strace"], packages: ["strace"] },
  { commands: ["sqlite3"], packages: ["sqlite3"] },
  { commands: ["nginx"], packages: ["nginx-light", "nginx"] },
  { commands: ["wrk"], packages: ["wrk"] },
  // Brings rsyslog itself.
  { commands: ["rsyslogd"], packages: ["rsyslog-gnutls"] },
]

main(process.argv.slice(2))

function main(flags) {
  const unknown = flags.filter((flag) => flag !== "--engines")
  if (unknown.length > 0) fail(`prepare: unknown option ${unknown.join(" ")}`)
  installModules()
  buildBrowserFiles()
  buildConsole()
  buildSealer()
  buildPrograms()
  buildClient()
  if (flags.includes("--engines")) installEngines()
}

/** Makes node_modules what the lockfile says; nothing happens when it already is. */
function installModules() {
  const wanted = stampOfManifests()
  if (readOrNull(stampFile) === wanted) return
  console.log("Installing packages: node_modules is missing or older than the lockfile")
  // npm ci empties node_modules first, stamp included, so an interrupted run is seen as stale.
  // Errors only: npm would warn that this Node is too old, and the right one is about to be
  // installed.
  run(npm(["ci", "--no-audit", "--no-fund", "--loglevel=error"]), {})
  if (!fs.existsSync(path.join(modules, ".bin", "node"))) {
    fail(
      "npm ci did not install Node: the package `node` needs its install script, " +
        "which the npm setting ignore-scripts switches off.",
    )
  }
  fs.writeFileSync(stampFile, wanted)
}

/**
 * A hash of everything that decides the contents of node_modules, the machine's platform included.
 */
function stampOfManifests() {
  const { workspaces } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"))
  const files = ["package-lock.json", "package.json"].concat(
    workspaces.map((folder) => `${folder}/package.json`),
  )
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`)
  for (const file of files) {
    const text = fs.readFileSync(path.join(root, file))
    hash.update(`${file} ${text.length}\n`).update(text)
  }
  return hash.digest("hex")
}

/** Makes what browsers get, when its sources are not those it was last made from. */
function buildBrowserFiles() {
  build("build-browser.ts", browserStampFile, path.join("drop", "browser", "manifest.json"), [
    "scripts",
    "packages/console/src",
    "packages/core/src",
    "packages/drop/src",
  ])
}

/** The same for the console. */
function buildConsole() {
  build("build-console.ts", consoleStampFile, path.join("server", "console", "manifest.json"), [
    "scripts",
    "packages/client/src",
    "packages/console",
    "packages/core/src",
  ])
}

/** The same for the one file that sealers run. */
function buildSealer() {
  build("build-sealer.ts", sealerStampFile, path.join("drop", "programs", "sealer-process.js"), [
    "scripts",
    "packages/core/src",
    "packages/drop/src",
    "packages/runtime/src",
  ])
}

/** And for the programs of the service and the command. */
function buildPrograms() {
  const main = path.join("server", "built", "main.js")
  const packages = ["core", "runtime", "client", "stores", "drop", "carrier", "corpus", "server"]
  const sources = packages.map((name) => `packages/${name}/src`)
  build("build-programs.ts", programsStampFile, main, ["scripts"].concat(sources))
}

function build(script, stamp, output, folders) {
  const wanted = stampOf(folders)
  const built = path.join(root, "packages", output)
  if (fs.existsSync(built) && readOrNull(stamp) === wanted) {
    // Sources that were only checked out again are newer, and the same.
    fs.utimesSync(built, new Date(), new Date())
    return
  }
  const node = path.join(modules, ".bin", "node")
  run([node, "--conditions=source", path.join("scripts", script)], {})
  fs.writeFileSync(stamp, wanted)
}

/**
 * Makes what `npm install packages/client` links to, when its sources are not those it was last
 * made from.
 */
function buildClient() {
  const wanted = stampOf(["packages/core/src", "packages/client/src"])
  const folders = ["core", "client"].map((name) => path.join(root, "packages", name))
  const isBuilt = folders.every((folder) => fs.existsSync(path.join(folder, "dist")))
  if (isBuilt && readOrNull(clientStampFile) === wanted) return
  const node = path.join(modules, ".bin", "node")
  const command = [node, path.join(root, "scripts", "build.ts")]
  // The service starts without it: a developer who changes the client wants to see more than
  // compiler errors.
  const warn = (reason) => console.warn(`prepare: the client package was not built: ${reason}`)
  if (folders.every((cwd) => run(command, {}, warn, cwd))) fs.writeFileSync(clientStampFile, wanted)
}

/** A hash of all files of folders; what npm installed is in the stamp of the manifests. */
function stampOf(folders) {
  const hash = createHash("sha256").update(stampOfManifests())
  for (const folder of folders) {
    for (const file of filesBelow(path.join(root, folder))) {
      const content = fs.readFileSync(file)
      hash.update(`${path.relative(root, file)} ${content.length}\n`).update(content)
    }
  }
  return hash.digest("hex")
}

/** Every file in a folder and the folders in it, in a fixed order. */
function filesBelow(folder) {
  const entries = fs.readdirSync(folder, { withFileTypes: true })
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  return entries.flatMap((entry) => {
    const file = path.join(folder, entry.name)
    return entry.isDirectory() ? filesBelow(file) : [file]
  })
}

/** The command line of an npm call. */
function npm(args) {
  // The npm that started us, under its own Node: node_modules/.bin/node may be first on the PATH,
  // and npm ci deletes it while it works.
  const { npm_execpath: script, npm_node_execpath: node } = process.env
  return script && node && !node.startsWith(modules) ? [node, script, ...args] : ["npm", ...args]
}

/** Installs missing and cheaper engines if possible, and names those that are missing then. */
function installEngines() {
  const isMissing = (engine) => !engine.commands.some(isInstalled)
  if (isRoot() && isInstalled("apt-get")) {
    installDebianPackages(engines.filter(isMissing))
    const isDear = (engine) => !isMissing(engine) && !isInstalled(engine.commands[0])
    installDebianPackages(engines.filter((each) => isDear(each) && isInArchive(each.packages[0])))
  }
  const missing = engines.filter(isMissing)
  if (missing.length === 0) return
  const names = missing.map((engine) => engine.commands.join(" or ")).join(", ")
  const packages = missing.map((engine) => engine.packages[0]).join(" ")
  const advice = `Missing test engines: ${names}. On Debian, as root: apt-get install ${packages}`
  if (process.env.CI === "true") fail(advice)
  console.warn(`${advice}\nTests that need them are skipped and say so.`)
}

function installDebianPackages(wanted) {
  if (wanted.length === 0) return
  const env = { DEBIAN_FRONTEND: "noninteractive" }
  const onFailure = (reason) => console.warn(`prepare: ${reason}`)
  console.log(`Installing ${wanted.map((engine) => engine.packages[0]).join(", ")} with apt-get`)
  if (!run(["apt-get", "update", "-qq"], env, onFailure)) return
  // One name apt does not know would refuse the whole list.
  const names = wanted.map((engine) => engine.packages.find(isInArchive)).filter(Boolean)
  if (names.length === 0) return
  // What somebody has installed themselves is not removed for it.
  const options = ["-qq", "-y", "--no-install-recommends", "--no-remove"]
  run(["apt-get", "install"].concat(options, names), env, onFailure)
}

function isInArchive(name) {
  return spawnSync("apt-cache", ["show", name], { stdio: "ignore" }).status === 0
}

function isInstalled(command) {
  // nginx lives in /usr/sbin, which is not on every user's PATH.
  const folders = (process.env.PATH || "").split(path.delimiter).concat("/usr/sbin", "/sbin")
  return folders.some((folder) => {
    try {
      fs.accessSync(path.join(folder, command), fs.constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

function isRoot() {
  return typeof process.getuid === "function" && process.getuid() === 0
}

/**
 * Runs a command with our streams; true when it succeeded. Without `onFailure` a failure ends the
 * process.
 */
function run([command, ...args], env, onFailure = fail, cwd = root) {
  const options = { cwd, stdio: "inherit", env: Object.assign({}, process.env, env) }
  const { status, signal, error } = spawnSync(command, args, options)
  if (status === 0) return true
  onFailure(
    `${command} ${args.join(" ")} failed: ${error ? error.message : signal || `exit ${status}`}`,
  )
  return false
}

function readOrNull(file) {
  try {
    return fs.readFileSync(file, "utf8")
  } catch (error) {
    if (error.code === "ENOENT") return null
    throw error
  }
}

function fail(reason) {
  console.error(reason)
  process.exit(1)
}
