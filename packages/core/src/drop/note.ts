import { EnvelopeFault } from "./envelope-fault.ts"
import { SMALLEST_CLASS } from "./padding.ts"
import { readTar, writeTar } from "./tar.ts"

/** What recipients keep for each other about a thread, sealed to their own keys only. */
export interface Note {
  /** The thread, as `threadOf` names it. */
  readonly about: string
  readonly labels: readonly string[]
  readonly text: string
  /** Out of the way in the list. Nothing is blocked. */
  readonly muted: boolean
  /** The sender got the acknowledgement that the first message was opened. */
  readonly acknowledged: boolean
  /** Replies that were sent, oldest first: the server cannot give them back. */
  readonly replies: readonly string[]
  /**
   * How many replies were written; there can be more than `replies` still holds. The next one is
   * numbered by it.
   */
  readonly answers: number
}

export const LABELS_MAX = 8
export const LABEL_MAX = 40
export const NOTE_TEXT_MAX = 10_000

const MEMBER = "note.json"
const REPLIES_MAX = 100
const ABOUT_MAX = 2_100

export const emptyNote = (about: string): Note => ({
  about,
  labels: [],
  text: "",
  muted: false,
  acknowledged: false,
  replies: [],
  answers: 0,
})

/** The envelope of a note. Leaves out the oldest replies if not all of them fit. */
export function packNote(note: Note): Uint8Array {
  const kept = readNote({ v: 1, ...note, replies: note.replies.slice(-REPLIES_MAX) })
  for (let first = 0; first <= kept.replies.length; first += 1) {
    const text = JSON.stringify({ v: 1, ...kept, replies: kept.replies.slice(first) })
    const bytes = new TextEncoder().encode(text)
    // Its header and the end of the archive take three blocks.
    if (bytes.length > SMALLEST_CLASS - 3 * 512) continue
    return writeTar([{ name: MEMBER, bytes }], SMALLEST_CLASS)
  }
  throw new EnvelopeFault("size")
}

export function unpackNote(envelope: Uint8Array): Note {
  const [member] = readTar(envelope, {
    allowed: /^note\.json$/,
    membersMax: 1,
    bytesMax: SMALLEST_CLASS,
  })
  if (member === undefined) throw new EnvelopeFault("archive")
  try {
    return readNote(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(member.bytes)))
  } catch {
    // No cause: the parser's message quotes the input.
    throw new EnvelopeFault("manifest")
  }
}

/**
 * One note of several about the same thread, as two recipients may write at the same time: nothing
 * of any is lost.
 */
export function mergeNotes(about: string, notes: readonly Note[]): Note {
  const replies = [...new Set(notes.flatMap((note) => note.replies))]
  const texts = new Set(notes.map(({ text }) => text).filter((text) => text !== ""))
  return {
    about,
    labels: [...new Set(notes.flatMap(({ labels }) => labels))].slice(0, LABELS_MAX),
    text: [...texts].join("\n\n").slice(0, NOTE_TEXT_MAX),
    muted: notes.some(({ muted }) => muted),
    acknowledged: notes.some(({ acknowledged }) => acknowledged),
    replies,
    answers: Math.max(replies.length, ...notes.map(({ answers }) => answers)),
  }
}

function readNote(value: unknown): Note {
  const { v, about, labels, text, muted, acknowledged, replies, answers } = value as Partial<
    Record<"v" | keyof Note, unknown>
  >
  const kept = readTexts(replies, REPLIES_MAX, SMALLEST_CLASS)
  if (v !== 1 || typeof muted !== "boolean" || typeof acknowledged !== "boolean") throw refused()
  return {
    about: readText(about, ABOUT_MAX),
    labels: readTexts(labels, LABELS_MAX, LABEL_MAX),
    text: readText(text, NOTE_TEXT_MAX),
    muted,
    acknowledged,
    replies: kept,
    // Notes of before have no such number.
    answers: answers === undefined ? kept.length : readCount(answers),
  }
}

function readTexts(value: unknown, countMax: number, lengthMax: number): string[] {
  if (!Array.isArray(value) || value.length > countMax) throw refused()
  return value.map((item) => readText(item, lengthMax))
}

function readText(value: unknown, lengthMax: number): string {
  if (typeof value !== "string" || value.length > lengthMax) throw refused()
  return value
}

function readCount(value: unknown): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw refused()
  return value
}

function refused(): EnvelopeFault {
  return new EnvelopeFault("manifest")
}
