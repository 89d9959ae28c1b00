import type { Detected } from "../formats/format.ts"
import { blocksOf, detectFormat } from "../formats/formats.ts"
import { type FormatHints, HEAD_BYTES_MAX } from "../formats/head.ts"
import type { ParsedRow, RejectReason } from "../formats/parsed-row.ts"
import { logDay } from "../formats/log-day.ts"
import { secretClassOf } from "../formats/secret-class.ts"
import { dayWithin } from "../formats/written-day.ts"
import { type ContentDigest, contentDigest, inputBytes } from "../inputs/content-digest.ts"
import { firstBytes, InputError, type Member } from "../inputs/member.ts"
import { openInputs } from "../inputs/members.ts"
import type { SkipReason } from "../inputs/skipped.ts"
import type { SecretClass } from "@assay/stores/exposure-index"
import { DAY_MS } from "@assay/runtime/time"
import { parseBlock } from "./parse-block.ts"

export interface ExamineJob {
  readonly paths: readonly string[]
  readonly hints: FormatHints
  /** How many parsed rows to show; 0 for none. */
  readonly rowsShown: number
  /** No log and no file is dated later than a day after this moment. */
  readonly nowMs: number
}

/** How far a look at the inputs is: their contents are read once before any row is. */
export interface LookProgress {
  readonly bytes: number
  readonly totalBytes: number
  /** Files and members of archives that were looked into. */
  readonly members: number
  /** The name of the last member; empty before the first. */
  readonly member: string
}

/** The findings about an input, made before any of it is kept. */
export interface Examined {
  readonly sha256: string
  readonly inputs: readonly string[]
  readonly stamp: string
  /** As they lie on the disk, packed. */
  readonly totalBytes: number
  readonly members: readonly ExaminedMember[]
  readonly shown: readonly ShownRow[]
  /** What folders and archives hold besides, by why it was left out. */
  readonly skipped: ReadonlyMap<SkipReason, number>
}

export interface ExaminedMember {
  readonly number: number
  readonly name: string
  /** null: nothing that can be imported; it is passed over. */
  readonly detected: Detected | null
  /** The day in a stealer's log on which it was made; null for a file that is no part of a log. */
  readonly logDay: string | null
  /** The day on which the file was last written; null where that cannot be true. */
  readonly fileDay: string | null
}

/**
 * A parsed row for the person whose file it is. The secret itself is left out; only its class is
 * shown.
 */
export type ShownRow = {
  readonly member: number
  readonly line: number
} & ({ readonly reject: RejectReason } | { readonly row: ShownFields })

export type ShownFields = Omit<ParsedRow, "secret" | "secretClass" | "secretIsHash"> & {
  readonly secret: SecretClass
}

/** Looks at every member of the inputs. Throws InputError where nothing in them can be imported. */
export async function examineInputs(
  job: ExamineJob,
  onProgress: (progress: LookProgress) => void = () => undefined,
): Promise<Examined> {
  const { paths, hints, rowsShown, nowMs } = job
  const { digest, progress } = await digestInputs(paths, onProgress)
  const { sha256, inputs: digests, stamp } = digest
  const inputs = await openInputs(paths)
  try {
    const members: ExaminedMember[] = []
    const shown: ShownRow[] = []
    for await (const member of inputs.members()) {
      const { number, name } = member
      onProgress({ ...progress, members: number, member: name })
      const detected = detectFormat(name, await firstBytes(member.bytes(), HEAD_BYTES_MAX), hints)
      members.push({
        number,
        name,
        detected,
        logDay: detected === null ? null : await logDay(member, nowMs),
        fileDay: dayWithin(member.modifiedMs, nowMs + DAY_MS),
      })
      if (detected !== null && shown.length < rowsShown) {
        await showRows(member, detected, shown, rowsShown)
      }
    }
    if (members.every(({ detected }) => detected === null)) {
      throw new InputError("There is nothing in the input that can be imported")
    }
    const { totalBytes } = inputs
    return {
      sha256,
      inputs: digests,
      stamp,
      totalBytes,
      members,
      shown,
      skipped: inputs.skippedCounts(),
    }
  } finally {
    await inputs.close()
  }
}

/** Reads all contents and reports progress. */
export async function digestInputs(
  paths: readonly string[],
  onProgress: (progress: LookProgress) => void,
): Promise<{ digest: ContentDigest; progress: LookProgress }> {
  const totalBytes = await inputBytes(paths)
  let bytes = 0
  const digest = await contentDigest(paths, (more) => {
    bytes += more
    onProgress({ bytes, totalBytes, members: 0, member: "" })
  })
  return { digest, progress: { bytes, totalBytes, members: 0, member: "" } }
}

async function showRows(
  member: Member,
  detected: Detected,
  shown: ShownRow[],
  rowsShown: number,
): Promise<void> {
  const show = (row: ShownRow): void => {
    if (shown.length < rowsShown) shown.push(row)
  }
  for await (const block of blocksOf(member, detected)) {
    parseBlock(detected.format, block, {
      row: (line, row) => show({ member: member.number, line, row: shownFields(row) }),
      reject: (line, reject) => show({ member: member.number, line, reject }),
    })
    // The first block is a thousand times as long as the sample shown.
    break
  }
}

function shownFields(row: ParsedRow): ShownFields {
  const { identityType, identity, kind, hours, item, confidence, classes, value } = row
  const secret = row.secretClass ?? secretClassOf(row.secret, row.secretIsHash)
  return { identityType, identity, kind, hours, item, confidence, classes, value, secret }
}
