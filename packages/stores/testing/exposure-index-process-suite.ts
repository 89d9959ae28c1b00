import { hash } from "node:crypto"
import { createInterface } from "node:readline"
import type { ExposureIndex, Row, SourceDescription } from "../src/exposure-index.ts"
import { breach } from "./entry-samples-suite.ts"
import type { SegmentBlock } from "../src/segment-block.ts"
import { segmentBlocks } from "./segment-samples-suite.ts"

/**
 * The other process of the suite: opens the same index with the engine's own opener, and answers
 * each command line with one line. `import` and `segment` also report when they are under way, so
 * that they can be killed there.
 */
export type Command =
  | { readonly verb: "count"; readonly key: string; readonly tenantId?: number }
  | { readonly verb: "look"; readonly key: string; readonly tenantId?: number }
  | { readonly verb: "erase"; readonly key: string }
  | { readonly verb: "retitle"; readonly sourceId: number; readonly title: string }
  | { readonly verb: "segment"; readonly fingerprint: string; readonly identities: number }
  | { readonly verb: "replace"; readonly tenantId: number; readonly identities: number }
  | { readonly verb: "import"; readonly fingerprint: string; readonly identities: number }

export const source: SourceDescription = {
  name: "forum-2024",
  title: "Forum, 2024",
  kind: "breach",
  confidence: 0.9,
  classes: ["phone"],
  flags: { spamList: false, fabricated: false, sensitive: false, verified: true },
  eventDate: "2024-03-01",
  circulates: false,
}

/** Rows between two lines of progress. */
export const PROGRESS_ROWS = 2_000

export function keyOf(i: number): Uint8Array {
  return hash("sha256", `identity ${i}`, "buffer").subarray(0, 16)
}

/** The same rows each time. Every thousandth identity has more entries than there is room for. */
export function* importRows(batchId: number, identities: number): Generator<Row> {
  for (let i = 0; i < identities; i++) {
    const length = i % 1_000 === 0 ? 300 : 1 + (i % 3)
    const entries = Array.from({ length }, (_, n) => ({
      ...breach,
      kind: i % 2 === 0 ? ("stealer" as const) : ("combolist" as const),
      hours: 24 * (i + n),
      fingerprint: i % 4096,
      batchId,
    }))
    yield { key: keyOf(i), entries }
  }
}

if (import.meta.main) {
  const [opener, directory] = process.argv.slice(2) as [string, string]
  const { open } = (await import(opener)) as { open: (directory: string) => Promise<ExposureIndex> }
  const index = await open(directory)
  const say = (answer: unknown): void => void process.stdout.write(`${JSON.stringify(answer)}\n`)
  say("open")
  for await (const line of createInterface({ input: process.stdin })) {
    const command = JSON.parse(line) as Command
    if (command.verb === "count") {
      const { entries } = await index.lookup(
        Buffer.from(command.key, "hex"),
        command.tenantId ?? null,
      )
      say(entries.length)
    } else if (command.verb === "look") {
      const key = Buffer.from(command.key, "hex")
      const { entries, erased, catalogue } = await index.lookup(key, command.tenantId ?? null)
      const titles = [...catalogue.sources.values()].map(({ title }) => title)
      say({ entries: entries.length, erased, titles })
    } else if (command.verb === "erase") {
      await index.erase(Buffer.from(command.key, "hex"))
      say("erased")
    } else if (command.verb === "retitle") {
      await index.changeSource(command.sourceId, { title: command.title })
      say("retitled")
    } else if (command.verb === "segment") {
      const { fingerprint, identities } = command
      const { id } = await index.openBatch(source, fingerprint, 1)
      const blocks = segmentBlocks([...importRows(id, identities)])
      const reported = async function* (): AsyncGenerator<SegmentBlock> {
        for await (const block of blocks) {
          say({ block: block.count })
          yield block
        }
      }
      const { rows } = await index.mergeSegment(id, reported())
      await index.goLive(id, { rows, identities }, 2)
      say("live")
    } else if (command.verb === "replace") {
      const { tenantId, identities } = command
      const { id } = await index.openBatch(source, "reports", 1, tenantId)
      await index.goLive(id, { rows: 0, identities: 0 }, 2)
      const entries = [{ ...breach, batchId: id }]
      const rows = Array.from({ length: identities }, (_, i) => ({ key: keyOf(i), entries }))
      await index.replaceTenantEvidence(tenantId, id, rows)
      say("replaced")
    } else {
      const { fingerprint, identities } = command
      const batch = await index.openBatch(source, fingerprint, 1)
      let rows = 0
      const reported = async function* (): AsyncGenerator<Row> {
        for (const row of importRows(batch.id, identities)) {
          if (rows % PROGRESS_ROWS === 0) say({ rows })
          rows += 1
          yield row
        }
      }
      try {
        await index.merge(batch.id, reported())
        await index.goLive(batch.id, { rows, identities }, 2)
        say("live")
      } catch (error) {
        say({ failed: error instanceof Error ? error.name : "unknown" })
      }
    }
  }
  await index.close()
}
