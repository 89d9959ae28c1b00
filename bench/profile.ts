// npm run profile -- email|phone|import: samples the programs of a load and writes, for each
// process and thread that worked, a flame graph and the profile it was made of to tmp/profile/.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assayProgram } from "../scripts/program.ts"
import { root } from "../scripts/repository.ts"
import { BenchError } from "./bench.ts"
import { startProgram } from "./child-program.ts"
import { writeRows } from "./corpus/rows-file.ts"
import { runMeasured } from "./corpus/run-measured.ts"
import { type CpuProfile, flameGraph } from "./flame-graph.ts"
import { emailMix, phoneMix, seeded } from "./http/identity-mix.ts"
import { seedIndex } from "./http/known-identities.ts"
import { findWrk, peakLoad } from "./http/load.ts"

const CONNECTIONS = 32
const SECONDS = 15
const IMPORTED_ROWS = 1_000_000
/** Below this a process only started something, in microseconds. */
const WORKED_MICROS = 500_000

const profiled: Readonly<Record<string, (folder: string, flags: Flags) => Promise<void>>> = {
  email: (folder, flags) => scoring(folder, flags, "/api/v1/risk/score", emailBodies()),
  phone: (folder, flags) => scoring(folder, flags, "/api/v1/phone-risk", phoneBodies()),
  import: importing,
}
/** Of Node. Its children get them too, which environment variables would not reach. */
type Flags = readonly string[]

try {
  await main(process.argv[2] ?? "")
} catch (error) {
  console.error(error instanceof BenchError ? `profile: ${error.message}` : error)
  process.exitCode = 1
}

async function main(name: string): Promise<void> {
  const run = profiled[name]
  if (run === undefined) throw new BenchError("takes one of email, phone and import")
  const folder = mkdtempSync(join(tmpdir(), "assay-profile-"))
  const profiles = join(folder, "profiles")
  try {
    const ends = import.meta.resolve("./orderly-ends.ts")
    await run(folder, ["--cpu-prof", `--cpu-prof-dir=${profiles}`, `--import=${ends}`])
    const into = join(root, "tmp", "profile")
    mkdirSync(into, { recursive: true })
    for (const old of readdirSync(into).filter((file) => file.startsWith(`${name}-`)))
      rmSync(join(into, old))
    for (const file of readdirSync(profiles)) {
      const text = readFileSync(join(profiles, file), "utf8")
      const profile = JSON.parse(text) as CpuProfile
      const micros = workedMicros(profile)
      if (micros < WORKED_MICROS) continue
      // CPU.date.time.process.thread.number.cpuprofile
      const [, , , pid = "", thread = ""] = file.split(".")
      const path = join(into, `${name}-${pid}-${thread}`)
      const title = `${name}: process ${pid}, thread ${thread}, ${(micros / 1e6).toFixed(1)} s of work`
      writeFileSync(`${path}.svg`, flameGraph(profile, title))
      writeFileSync(`${path}.cpuprofile`, text)
      console.log(`${path}.svg  ${title}`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function workedMicros({ nodes, samples, timeDeltas }: CpuProfile): number {
  const idle = nodes.find(({ callFrame }) => callFrame.functionName === "(idle)")?.id
  return timeDeltas.reduce((sum, micros, n) => (samples[n] === idle ? sum : sum + micros), 0)
}

async function scoring(
  folder: string,
  flags: Flags,
  path: string,
  bodies: object[],
): Promise<void> {
  const data = join(folder, "data")
  const secret = join(folder, "secret")
  const bodiesFile = join(folder, "bodies.ndjson")
  writeFileSync(bodiesFile, bodies.map((body) => `${JSON.stringify(body)}\n`).join(""))
  await seedIndex(join(data, "index"), secret, emailMix(), seeded(1))
  const settings = {
    ASSAY_DATA: data,
    ASSAY_SECRET_FILE: secret,
    ASSAY_WORKERS: "1",
    PORT: "0",
    DROP: "off",
  }
  const service = await startProgram(
    [...flags, ...assayProgram(), "serve"],
    settings,
    /http:\/\/localhost:(\d+)\/docs\n.*API key +(ask_demo_\w+)\n/,
  )
  try {
    const [, port, apiKey = ""] = service.ready
    const target = { port: Number(port), path, apiKey, bodiesFile }
    await peakLoad(findWrk(process.env), target, { connections: CONNECTIONS, seconds: SECONDS })
  } finally {
    await service.stop()
  }
}

function emailBodies(): object[] {
  return emailMix().map(({ email }) => ({ email }))
}

function phoneBodies(): object[] {
  return phoneMix().map((phone) => ({ phone_number: phone }))
}

async function importing(folder: string, flags: Flags): Promise<void> {
  const file = join(folder, "rows.txt")
  await writeRows(file, IMPORTED_ROWS, 1)
  const order = ["--source", "profile", "--kind", "combolist", "--date", "2026-01-01"]
  const command = [...flags, ...assayProgram(), "corpus", "import", file, ...order]
  await runMeasured(process.execPath, command, { env: { ASSAY_DATA: join(folder, "data") } })
}
