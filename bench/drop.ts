import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import {
  mailboxTag,
  newIdentityFile,
  packMessage,
  packReply,
  type Recipients,
  recipientsOf,
  seal,
} from "@assay/core/drop"
import { writeKeysFile } from "../packages/drop/src/keys-file.ts"
import { openSqliteDrops } from "../packages/drop/src/store/sqlite-drops.ts"
import { DAY_MS } from "../packages/runtime/src/time.ts"
import { markdownTable } from "../scripts/table.ts"
import { type Bench, BenchError } from "./bench.ts"
import { type RunningProgram, startProgram } from "./child-program.ts"
import { ask, newForm, newTicket, sendForm, sendSealed } from "./drop/drop-clients.ts"
import { runningPids, watchMemory } from "./drop/memory-peaks.ts"
import { type LoadTarget, pacedLoad } from "./http/load.ts"
import { machineFacts, machineLines } from "./machine.ts"
import { requireProcessFigures } from "./process-figures.ts"
import { writeResults } from "./results.ts"
import { median } from "./statistics.ts"
import { assayProgram } from "../scripts/program.ts"

const SERVICE = [...assayProgram(), "serve"]
const READY =
  /http:\/\/localhost:(\d+)\/docs\n.*API key +(ask_demo_\w+)\n.*Anonymous drop +http:\/\/localhost:(\d+)\//
/** Three files that together fill the largest class. */
const FILE_BYTES = 10_000_000
const FILES = 3
/** A form is taken this long after it was given out. */
const FORM_WAIT_MS = 15_500
/**
 * Scoring requests a second, sent meanwhile. Any machine keeps up with this rate, so whatever
 * scoring loses to the drop shows as a longer response time.
 */
const RATE = 100
const CONNECTIONS = 16
const WINDOW_SECONDS = 4
const MAILBOX_QUESTIONS = 300

interface Uploads {
  readonly sent: number
  readonly acknowledged: number
  readonly seconds: number
  /** p99 of scoring in each window that began meanwhile. */
  readonly scoringP99Ms: readonly number[]
  readonly dropPeakBytes: number
  readonly sealerPeakBytes: number
}

interface Figures {
  readonly aloneP99Ms: number
  readonly sealed: Uploads
  readonly forms: Uploads
  readonly stored: number
  readonly ticketMs: number
  readonly sealMs: number
  readonly sealerGoneMs: number
  readonly mailboxMs: { readonly unknown: number; readonly full: number }
}

export const dropBench: Bench<"sealed" | "forms"> = {
  name: "drop",
  summary: "uploads to the drop at once: memory, losses, and scoring beside them",
  options: {
    sealed: { fallback: 50, min: 1, max: 500, meaning: "uploads sealed by a browser, at once" },
    forms: { fallback: 10, min: 1, max: 20, meaning: "uploads without JavaScript, at once" },
  },
  async run({ sealed, forms }) {
    requireProcessFigures()
    const machine = machineFacts()
    const folder = mkdtempSync(join(tmpdir(), "assay-bench-"))
    try {
      const figures = await measured(folder, sealed, forms)
      const tables = tablesOf(figures)
      console.log(`\n${tables}\n`)
      const page = `# Drop

Printed by \`npm run bench -- drop\`. ${sealed} uploads of the 32 MiB class at once as browsers send them, then ${forms} of 30 MB without
JavaScript, each on a connection of its own, senders on the same machine. Scoring runs beside them at ${RATE} requests a second.

${machineLines(machine)}

${tables}
`
      console.log(`Written to ${writeResults("drop", { machine, ...figures }, page).join(" and ")}`)
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

async function measured(folder: string, sealedCount: number, formCount: number): Promise<Figures> {
  const data = join(folder, "data")
  const recipients = recipientsOf([(await newIdentityFile(undefined, "x25519")).recipient])
  writeKeysFile(join(data, "drop"), recipients)
  const mailbox = randomBytes(32)
  await fillMailbox(join(data, "drop"), mailbox, recipients)
  console.log("Sealing …")
  const files = Array.from({ length: FILES }, () => randomBytes(FILE_BYTES))
  const envelope = packMessage({
    sealedBy: "browser",
    mode: "one-way",
    lang: "en",
    message: "A message of the bench.",
    files: files.map((bytes) => ({
      bytes,
      type: "application/octet-stream",
      extension: "",
      metadata: "unknown",
    })),
  })
  const [sealed, sealMs] = await timed(() => seal(envelope, recipients))

  const program = await startProgram(
    SERVICE,
    // Requests that would be refused on a busy machine are to show as time instead.
    { ASSAY_DATA: data, PORT: "0", DROP: "on", DROP_PORT: "0", ASSAY_SHED_DELAY_MS: "10000" },
    READY,
  )
  let figures: Omit<Figures, "stored">
  try {
    figures = {
      sealMs,
      ...(await underUploads(program, folder, sealed, sealedCount, files, formCount, mailbox)),
    }
  } finally {
    await program.stop()
  }
  const drops = await openSqliteDrops(join(data, "drop"))
  const stored = (await drops.messages()).length
  await drops.close()
  // One more than counted: the message by which the end of a sealer was timed.
  const acknowledged = figures.sealed.acknowledged + figures.forms.acknowledged + 1
  if (stored < acknowledged)
    throw new BenchError(`${acknowledged} uploads were acknowledged and ${stored} are stored`)
  return { ...figures, stored }
}

async function underUploads(
  { pid, ready }: RunningProgram,
  folder: string,
  sealed: Uint8Array,
  sealedCount: number,
  files: readonly Uint8Array[],
  formCount: number,
  mailbox: Uint8Array,
): Promise<Omit<Figures, "stored" | "sealMs">> {
  const [port, apiKey, dropPort] = [Number(ready[1]), ready[2] as string, Number(ready[3])]
  const bodiesFile = join(folder, "emails.ndjson")
  writeFileSync(bodiesFile, '{"email":"ana.silva@mail.example"}\n{"email":"nobody@mail.example"}\n')
  const target = { port, apiKey, path: "/api/v1/risk/score", bodiesFile }

  console.log(`Tickets for ${sealedCount} uploads, forms for ${formCount} …`)
  const formsAt = performance.now()
  const tokens: string[] = []
  for (let n = 0; n <= formCount; n++) tokens.push(await newForm(dropPort))
  const tickets: string[] = []
  const [, ticketsMs] = await timed(async () => {
    while (tickets.length < sealedCount) tickets.push(await newTicket(dropPort, sealed.length))
  })
  console.log("Scoring alone …")
  await scored(target)
  const alone = [await scored(target), await scored(target), await scored(target)]
  console.log(`${sealedCount} uploads sealed by browsers …`)
  const bySealed = await uploaded(
    pid,
    target,
    tickets.map((ticket) => () => sendSealed(dropPort, ticket, sealed)),
  )
  await delay(Math.max(0, FORM_WAIT_MS - (performance.now() - formsAt)))
  console.log(`${formCount} uploads without JavaScript …`)
  const [last, ...others] = tokens as [string, ...string[]]
  const byForms = await uploaded(
    pid,
    target,
    others.map((token) => () => sendForm(dropPort, token, files)),
  )
  return {
    aloneP99Ms: median(alone),
    sealed: bySealed,
    forms: byForms,
    ticketMs: ticketsMs / sealedCount,
    sealerGoneMs: await sealerGoneAfter(pid, () => sendForm(dropPort, last, [])),
    mailboxMs: await mailboxTimes(dropPort, mailbox),
  }
}

/** All uploads at once, with scoring beside them until the last has ended. */
async function uploaded(
  pid: number,
  target: LoadTarget,
  uploads: readonly (() => Promise<boolean>)[],
): Promise<Uploads> {
  const memory = watchMemory(pid)
  const startedAt = performance.now()
  let seconds = 0
  const sending = async (): Promise<boolean[]> => {
    const outcomes = await Promise.all(uploads.map((upload) => upload()))
    seconds = (performance.now() - startedAt) / 1000
    return outcomes
  }
  const scoringP99Ms: number[] = []
  const scoring = async (): Promise<void> => {
    while (seconds === 0) scoringP99Ms.push(await scored(target))
  }
  const [outcomes] = await Promise.all([sending(), scoring()])
  memory.stop()
  return {
    sent: uploads.length,
    acknowledged: outcomes.filter(Boolean).length,
    seconds,
    scoringP99Ms,
    dropPeakBytes: memory.peaks.drop,
    sealerPeakBytes: memory.peaks.sealer,
  }
}

async function scored(target: LoadTarget): Promise<number> {
  const load = { connections: CONNECTIONS, seconds: WINDOW_SECONDS }
  return (await pacedLoad(target, load, RATE)).p99Ms
}

/** How long after its answer the sealer that gave it is still there. */
async function sealerGoneAfter(pid: number, send: () => Promise<boolean>): Promise<number> {
  const before = runningPids(pid, "sealer")
  if (!(await send())) throw new BenchError("a form without files was refused")
  const answeredAt = performance.now()
  while (before.every((sealer) => runningPids(pid, "sealer").includes(sealer))) await delay(1)
  return performance.now() - answeredAt
}

/**
 * The usual response times of a mailbox that does not exist and of a full one, measured in turn.
 */
async function mailboxTimes(port: number, mailbox: Uint8Array): Promise<Figures["mailboxMs"]> {
  const times: Record<"unknown" | "full", number[]> = { unknown: [], full: [] }
  const sizes = new Set<number>()
  for (let n = 0; n < MAILBOX_QUESTIONS; n++)
    for (const kind of ["unknown", "full"] as const) {
      const body = kind === "full" ? mailbox : randomBytes(32)
      const headers = { "content-type": "application/octet-stream" }
      const [answer, ms] = await timed(() => ask(port, "/drop/mailbox", headers, [body]))
      if (answer.status !== 200)
        throw new BenchError(`a mailbox was answered with ${answer.status}`)
      sizes.add(answer.body.length)
      times[kind].push(ms)
    }
  if (sizes.size !== 1) throw new BenchError("mailboxes were answered with different sizes")
  return { unknown: median(times.unknown), full: median(times.full) }
}

async function fillMailbox(
  folder: string,
  mailbox: Uint8Array,
  recipients: Recipients,
): Promise<void> {
  const sender = await newIdentityFile(undefined, "x25519")
  const envelope = packReply({ sealedBy: "sender", lang: "en", message: "A reply of the bench." })
  const to = recipientsOf([sender.recipient, ...recipients.keys])
  const drops = await openSqliteDrops(folder)
  for (let n = 0; n < 4; n++) {
    const reply = {
      id: randomBytes(16).toString("hex"),
      tag: mailboxTag(mailbox),
      deleteVerifier: randomBytes(32),
      sealed: await seal(envelope, to),
    }
    await drops.postReply(reply, { today: Math.floor(Date.now() / DAY_MS), retentionDays: 30 })
  }
  await drops.close()
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const startedAt = performance.now()
  const result = await work()
  return [result, performance.now() - startedAt]
}

/** How much slower scoring may become beside uploads. */
const SLOWER_MAX = 2

function tablesOf(figures: Figures): string {
  const { aloneP99Ms, sealed, forms, stored, ticketMs, sealMs, sealerGoneMs, mailboxMs } = figures
  const megabytes = (bytes: number): number => Math.round(bytes / 1_000_000)
  const row = (label: string, uploads: Uploads): (string | number)[] => [
    label,
    uploads.sent,
    uploads.acknowledged,
    uploads.seconds.toFixed(1),
    megabytes(uploads.dropPeakBytes),
    megabytes(uploads.sealerPeakBytes),
    median(uploads.scoringP99Ms).toFixed(1),
  ]
  const worst = Math.max(median(sealed.scoringP99Ms), median(forms.scoringP99Ms)) / aloneP99Ms
  const acknowledged = sealed.acknowledged + forms.acknowledged
  return `${markdownTable(
    ["uploads", "sent", "stored", "s", "drop MB", "sealer MB", "scoring p99 ms"],
    [row("32 MiB class, sealed", sealed), row("30 MB, without JavaScript", forms)],
  )}

Peaks of resident memory, of the drop's process and of the largest sealer. Scoring alone: p99 ${aloneP99Ms.toFixed(1)} ms.

${markdownTable(
  ["target", "wanted", "measured", "met"],
  [
    [
      "acknowledged uploads that are not stored",
      "0",
      String(Math.max(0, acknowledged + 1 - stored)),
      stored > acknowledged ? "yes" : "NO",
    ],
    [
      "p99 of scoring beside uploads, over alone",
      `at most ${SLOWER_MAX}`,
      worst.toFixed(2),
      worst <= SLOWER_MAX ? "yes" : "NO",
    ],
  ],
)}

${markdownTable(
  ["time", "ms"],
  [
    ["sealing a message of the 32 MiB class, in Node (T23)", Math.round(sealMs)],
    ["a ticket's proof of work, in Node", Math.round(ticketMs)],
    ["until a sealer is gone after its answer (T36)", Math.round(sealerGoneMs)],
    ["answer for an unknown mailbox, median (T15)", mailboxMs.unknown.toFixed(2)],
    ["answer for a full mailbox, median (T15)", mailboxMs.full.toFixed(2)],
  ],
)}`
}
