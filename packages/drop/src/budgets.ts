import { statfs } from "node:fs/promises"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import { openBucket } from "./bucket.ts"
import type { DropConfig } from "./drop-config.ts"
import { openSharedBudget } from "./shared-budget.ts"

/**
 * `text` has no files. Each kind has its own budget, so that using up one does not touch the other.
 */
export type MessageKind = "text" | "files"
/**
 * `busy`: as many messages of the kind have come as may in an hour, or as one network may send;
 * `full`: there is no room for it, on the disk or today.
 */
export type Refusal = "busy" | "full"

/** Below this share of free disk only messages without files are taken. */
export const FILES_NEED_SHARE = 0.2
/** Below this nothing is: the store needs room to delete, too. */
const TEXT_NEEDS_BYTES = 64 * 1024 * 1024
/** Beyond this share of the hour's messages, visitors who have not begun to write have to wait. */
const LOW_SHARE = 0.95
/** Each quarter of a budget that is used up doubles the work, up to this often. */
const DOUBLINGS_MAX = 5

export interface DiskRoom {
  readonly freeBytes: number
  /** Of all bytes, 0 to 1. */
  readonly freeShare: number
}

/**
 * Limits on all senders together. Nothing here is about one sender, and everything is gone with the
 * process.
 */
export interface Budgets {
  /** Counts a message without JavaScript from this address, or returns why it is refused. */
  admitPlain(kind: MessageKind, bytes: number, address?: string): Promise<Refusal | null>
  /**
   * Why a message with a ticket is not taken. Their number is not limited: the work for a ticket
   * grows instead.
   */
  sealedRefusal(kind: MessageKind, bytes: number): Promise<Refusal | null>
  /** Counts a message whose ticket was good. */
  countSealed(kind: MessageKind, bytes: number): void
  /** Hardly any message without files and without JavaScript can be sent now. */
  plainTextLow(): boolean
  /** How often the work for a ticket of this kind is doubled now. */
  doublings(kind: MessageKind): number
  filesTaken(): Promise<boolean>
}

export function openBudgets({
  config,
  room,
  now,
}: {
  readonly config: Pick<DropConfig, "textPerHour" | "filesPerHour" | "bytesPerDay">
  readonly room: () => Promise<DiskRoom>
  readonly now: () => number
}): Budgets {
  const { textPerHour, filesPerHour, bytesPerDay } = config
  const plain = {
    // Text is refused last: visitors by the onion address may use the whole budget.
    text: openSharedBudget(textPerHour, now, { hereShare: 1 }),
    files: openSharedBudget(filesPerHour, now),
  }
  const perHour = { text: textPerHour, files: filesPerHour }
  const sealed = {
    text: openBucket(textPerHour, HOUR_MS, now),
    files: openBucket(filesPerHour, HOUR_MS, now),
  }
  const dayBytes = openBucket(bytesPerDay, DAY_MS, now)

  const noRoom = async (kind: MessageKind, bytes: number): Promise<boolean> => {
    const { freeBytes, freeShare } = await room()
    if (freeBytes < TEXT_NEEDS_BYTES + bytes) return true
    if (kind === "text") return false
    return freeShare < FILES_NEED_SHARE || dayBytes.used() + bytes > bytesPerDay
  }
  return {
    async admitPlain(kind, bytes, address) {
      if (await noRoom(kind, bytes)) return "full"
      if (!plain[kind].take(address)) return "busy"
      dayBytes.add(bytes)
      return null
    },
    sealedRefusal: async (kind, bytes) => ((await noRoom(kind, bytes)) ? "full" : null),
    countSealed(kind, bytes) {
      sealed[kind].add(1)
      dayBytes.add(bytes)
    },
    plainTextLow: () => plain.text.usedShare() >= LOW_SHARE,
    doublings(kind) {
      const ofHour = sealed[kind].used() / perHour[kind]
      // The bytes of a day are used up by files, and only files are refused then.
      const ofDay = kind === "files" ? dayBytes.used() / bytesPerDay : 0
      return Math.min(DOUBLINGS_MAX, Math.floor(4 * Math.max(ofHour, ofDay)))
    },
    filesTaken: async () => !(await noRoom("files", 0)),
  }
}

/** Text is all that fits the smallest class. */
export const kindOf = (sizeClass: number): MessageKind => (sizeClass === 0 ? "text" : "files")

/** The room on the disk of a folder, for those who are not root. */
export async function diskRoom(folder: string): Promise<DiskRoom> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, freeShare: bavail / blocks }
}
