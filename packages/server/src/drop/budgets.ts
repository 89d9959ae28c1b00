import { statfs } from "node:fs/promises"
import { DAY_MS, HOUR_MS } from "../time.ts"
import type { MessageKind, Refusal } from "./drop-desk.ts"
import type { DropConfig } from "./drop-config.ts"

/** Below this share of free disk only messages without files are taken. */
const FILES_NEED_SHARE = 0.2
/** Below this nothing is: the store needs room to delete, too. */
const TEXT_NEEDS_BYTES = 64 * 1024 * 1024
/** Past this share of the hour's messages, those who have not begun to write wait first. */
const LOW_SHARE = 0.95
/** Each quarter of the hour's budget that is used up doubles the work, up to this often. */
const DOUBLINGS_MAX = 5

export interface DiskRoom {
  readonly freeBytes: number
  /** Of all bytes, 0 to 1. */
  readonly freeShare: number
}

/** What is taken of everybody together. Nothing here is about one sender, and all of it is gone with the process. */
export interface Budgets {
  /** Counts a message without JavaScript, or says why it is not taken. */
  admitPlain(kind: MessageKind, bytes: number): Promise<Refusal | null>
  /** Why a message with a ticket is not taken. Their number is not limited: the work for a ticket grows instead. */
  sealedRefusal(kind: MessageKind, bytes: number): Promise<Refusal | null>
  /** Counts one whose ticket was good. */
  countSealed(bytes: number): void
  /** Hardly any message without files and without JavaScript can be sent any more in this hour. */
  plainTextLow(): boolean
  /** How often the work for a ticket is doubled now. */
  doublings(): number
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
  const plain = { text: windowed(HOUR_MS, now), files: windowed(HOUR_MS, now) }
  const perHour = { text: config.textPerHour, files: config.filesPerHour }
  const sealed = windowed(HOUR_MS, now)
  const bytesToday = windowed(DAY_MS, now)

  const noRoom = async (kind: MessageKind, bytes: number): Promise<boolean> => {
    const { freeBytes, freeShare } = await room()
    if (freeBytes < TEXT_NEEDS_BYTES + bytes) return true
    if (kind === "text") return false
    return freeShare < FILES_NEED_SHARE || bytesToday.count() + bytes > config.bytesPerDay
  }
  return {
    async admitPlain(kind, bytes) {
      if (await noRoom(kind, bytes)) return "full"
      if (plain[kind].count() >= perHour[kind]) return "busy"
      plain[kind].add(1)
      bytesToday.add(bytes)
      return null
    },
    sealedRefusal: async (kind, bytes) => ((await noRoom(kind, bytes)) ? "full" : null),
    countSealed(bytes) {
      sealed.add(1)
      bytesToday.add(bytes)
    },
    plainTextLow: () => plain.text.count() >= LOW_SHARE * perHour.text,
    doublings() {
      const quarters = (4 * sealed.count()) / (config.textPerHour + config.filesPerHour)
      return Math.min(DOUBLINGS_MAX, Math.floor(quarters))
    },
    filesTaken: async () => !(await noRoom("files", 0)),
  }
}

/** The room on the disk of a folder, for those who are not root. */
export async function diskRoom(folder: string): Promise<DiskRoom> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, freeShare: bavail / blocks }
}

interface Windowed {
  count(): number
  add(amount: number): void
}

/** Counts within the hour or the day that runs by the clock. */
function windowed(spanMs: number, now: () => number): Windowed {
  let span = 0
  let counted = 0
  const turn = (): void => {
    const current = Math.floor(now() / spanMs)
    if (current !== span) counted = 0
    span = current
  }
  return {
    count() {
      turn()
      return counted
    },
    add(amount) {
      turn()
      counted += amount
    },
  }
}
