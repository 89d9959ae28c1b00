import type { Detected } from "../formats/format.ts"
import { blocksOf, detectFormat, FORMATS, seeks, titleOf } from "../formats/formats.ts"
import { type FormatHints, HEAD_BYTES_MAX } from "../formats/head.ts"
import type { ParsedRow, RejectReason } from "../formats/parsed-row.ts"
import { logDay } from "../formats/log-day.ts"
import { secretClassOf } from "../formats/secret-class.ts"
import { dayWithin } from "../formats/written-day.ts"
import { type ContentDigest, contentDigest, namedInputs } from "../inputs/content-digest.ts"
import { firstBytes, InputError, type Member } from "../inputs/member.ts"
import { needsSeeking } from "../inputs/member-finder.ts"
import { type Inputs, openInputs, openStreamedInput } from "../inputs/members.ts"
import type { StreamedInput, StreamSaid } from "../inputs/streamed-input.ts"
import { SeenDisk } from "../inputs/seen-disk.ts"
import type { SkipReason } from "../inputs/skipped.ts"
import type { SecretClass } from "@assay/stores/exposure-index"
import { DAY_MS } from "@assay/runtime/time"
import { MASK, maskedIdentity } from "./masked.ts"
import { parseBlock } from "./parse-block.ts"

export interface ExamineJob {
  readonly paths: readonly string[]
  /** Set where the input arrives on the reader's standard input; there are no paths then. */
  readonly streamed?: StreamSaid | undefined
  readonly hints: FormatHints
  /** How many parsed rows to show; 0 for none. */
  readonly rowsShown: number
  /** Identities are shown by a letter or two: for somebody who is not at the machine. */
  readonly masked?: boolean
  /** No log and no file is dated later than a day after this moment. */
  readonly nowMs: number
}

/**
 * How far a look at the inputs is: before any row is read, their contents are read once, and then
 * the beginning of each file.
 */
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
  /** Empty for a stream: it is known when all of it was read. */
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
  disk: SeenDisk = new SeenDisk(),
): Promise<Examined> {
  const inputs = openInputs(job.paths, disk)
  const told = ({ totalBytes, ...rest }: LookProgress): void =>
    onProgress({ ...rest, totalBytes: totalBytes + inputs.beginningsBytes })
  const { digest, progress } = await digestInputs(job.paths, told, disk)
  return await lookAt(job, inputs, digest, progress.bytes, onProgress)
}

/** Looks at the beginning of a stream; what it holds is known by its digest once it was read. */
export async function examineStream(
  job: ExamineJob,
  stream: StreamedInput,
  onProgress: (progress: LookProgress) => void = () => undefined,
): Promise<Examined> {
  const unknown = { sha256: "", inputs: [], stamp: "" }
  const refuse = (name: string, { format }: Detected): void => {
    if (seeks(format)) throw needsSeeking(name, titleOf(format))
  }
  return await lookAt(job, openStreamedInput(stream), unknown, 0, onProgress, refuse)
}

async function lookAt(
  job: ExamineJob,
  inputs: Inputs,
  { sha256, inputs: digests, stamp }: ContentDigest,
  bytesBefore: number,
  onProgress: (progress: LookProgress) => void,
  refuse: (name: string, detected: Detected) => void = () => undefined,
): Promise<Examined> {
  const { hints, rowsShown, nowMs, masked = false } = job
  const totalBytes = bytesBefore + inputs.beginningsBytes
  const told = (members: number, member: string): void =>
    onProgress({ bytes: bytesBefore + inputs.passedBytes(), totalBytes, members, member })
  try {
    const members: ExaminedMember[] = []
    const shown: ShownRow[] = []
    // Files that lie side by side are mostly alike.
    let likely: string | null = null
    for await (const member of inputs.members()) {
      const { number, name } = member
      told(number, name)
      const head = await firstBytes(member.bytes(), HEAD_BYTES_MAX)
      const detected = detectFormat(name, head, hints, FORMATS, likely)
      likely = detected?.format.name ?? likely
      if (detected !== null) refuse(name, detected)
      members.push({
        number,
        name,
        detected,
        logDay: detected === null ? null : await logDay(member, nowMs),
        fileDay: dayWithin(member.modifiedMs, nowMs + DAY_MS),
      })
      if (detected !== null && shown.length < rowsShown) {
        await showRows(member, detected, shown, rowsShown, masked)
      }
    }
    if (members.every(({ detected }) => detected === null)) {
      throw new InputError("There is nothing in the input that can be imported")
    }
    told(members.length, members.at(-1)?.name ?? "")
    return {
      sha256,
      inputs: digests,
      stamp,
      totalBytes: inputs.totalBytes,
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
  disk: SeenDisk = new SeenDisk(),
): Promise<{ digest: ContentDigest; progress: LookProgress }> {
  const named = namedInputs(paths, disk)
  const totalBytes = named.bytes
  let bytes = 0
  const digest = await contentDigest(named, (more) => {
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
  masked: boolean,
): Promise<void> {
  const show = (row: ShownRow): void => {
    if (shown.length < rowsShown) shown.push(row)
  }
  for await (const block of blocksOf(member, detected)) {
    parseBlock(detected.format, block, {
      row: (line, row) => show({ member: member.number, line, row: shownFields(row, masked) }),
      reject: (line, reject) => show({ member: member.number, line, reject }),
    })
    // The first block is a thousand times as long as the sample shown.
    break
  }
}

function shownFields(row: ParsedRow, masked: boolean): ShownFields {
  const { identityType, kind, hours, item, confidence, classes, value } = row
  const secret = row.secretClass ?? secretClassOf(row.secret, row.secretIsHash)
  const identity = masked ? maskedIdentity(row.identity) : row.identity
  // Items are texts of the file too.
  const shownItem = masked && item !== null ? MASK : item
  return {
    identityType,
    identity,
    kind,
    hours,
    item: shownItem,
    confidence,
    classes,
    value,
    secret,
  }
}
