// npm run release: what a release consists of, made in dist/. Publishing it stays a person's step.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { publishedPackages, root, toolEnvironment } from "./repository.ts"
import { runCommand } from "./run-command.ts"
import { markdownTable } from "./table.ts"

const { values } = parseArgs({ options: { "dry-run": { type: "boolean", default: false } } })
const output = join(root, "dist")

if (!values["dry-run"]) {
  // A release is of a commit: the packages must hold exactly what the tag will name.
  const changes = execFileSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" })
  if (changes !== "") fail(`There are uncommitted changes:\n${changes}`)
  await step("npm", "test")
}

rmSync(output, { recursive: true, force: true })
mkdirSync(output)
const workspaces = publishedPackages.flatMap((folder) => ["-w", folder])
await step("npm", "pack", ...workspaces, "--pack-destination", output)
// Of what ships alone; the lockfile is the record of the rest.
const sbom = execFileSync("npm", ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev"], {
  cwd: root,
  encoding: "utf8",
  env: toolEnvironment(),
  maxBuffer: 64 * 2 ** 20,
})
writeFileSync(join(output, "sbom.json"), sbom)

const files = readdirSync(output).sort()
const sums = files.map((file) => ({ file, sum: sha256(join(output, file)) }))
// The format that `sha256sum --check SHA256SUMS` reads.
writeFileSync(join(output, "SHA256SUMS"), sums.map(({ sum, file }) => `${sum}  ${file}\n`).join(""))
const rows = sums.map(({ file, sum }) => [file, statSync(join(output, file)).size, sum])
console.log(`\nIn dist/, with SHA256SUMS:\n\n${markdownTable(["file", "bytes", "SHA-256"], rows)}`)

async function step(...command: [string, ...string[]]): Promise<void> {
  const exitCode = await runCommand(command)
  if (exitCode !== 0) fail(`${command.join(" ")} failed, so there is no release`)
}

function sha256(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex")
}

function fail(reason: string): never {
  console.error(reason)
  process.exit(1)
}
