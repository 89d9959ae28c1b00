import { type OpenedMessage, shownText, type Strange } from "@assay/core/drop"
import { DAY_MS } from "@assay/runtime/time"
import type { InboxMessage } from "./drop-opened-inbox.ts"

/** So much of an id is shown; it may be typed in its place. */
const SHORT_ID = 12
const FIRST_LINE = 60

export function shortId(id: string): string {
  return id.slice(0, SHORT_ID)
}

/** The beginning of a message, in one line. */
export function firstLine(message: string): string {
  const text = shownText(message).replaceAll(/\s+/g, " ").trim()
  const letters = Array.from(text)
  return letters.length <= FIRST_LINE ? text : `${letters.slice(0, FIRST_LINE - 1).join("")}…`
}

/**
 * Whether the server could have read the message. The sender's program claims this and could lie.
 */
export function sealedBy({ manifest, wrapped }: InboxMessage["opened"]): string {
  if (wrapped) return "sender, wrapped by the server"
  return manifest.sealed_by === "server" ? "server, which could read it" : manifest.sealed_by
}

/** What is strange about a message, in words for its line. */
export const STRANGE: Readonly<Record<Strange, string>> = {
  changed: "CHANGED ON THE SERVER since it was seen",
  moved: "SEEN BEFORE under another id",
}

export function filesLine({ files }: OpenedMessage): string {
  if (files.length === 0) return "no files"
  const states = files.map(({ metadata }) => metadata)
  return `${files.length} ${files.length === 1 ? "file" : "files"} (metadata ${[...new Set(states)].join(", ")})`
}

/** Until when the server keeps it. */
export function dayOf(purgeDay: number): string {
  return new Date(purgeDay * DAY_MS).toISOString().slice(0, 10)
}
