import { EnvelopeFault } from "./envelope-fault.ts"
import { classOf, SIZE_CLASSES } from "./padding.ts"
import { readTar, tarSize, writeTar } from "./tar.ts"

/**
 * What a recipient remembers of a message: enough to notice that it was changed, and nothing about
 * its content.
 */
export interface SeenMessage {
  /** `contentMark` of the message as it was seen first. */
  readonly mark: string
  /** The day since 1970 on which the message goes; after it nothing is remembered. */
  readonly until: number
  /** The server has since given another content under its id. */
  readonly changed?: true
  /** The recipient had it on the screen. */
  readonly read?: true
}

/** By the ids of messages. */
export type Seen = Readonly<Record<string, SeenMessage>>

/**
 * `changed`: another content under an id that was seen; `moved`: a content that was seen, under
 * another id.
 */
export type Strange = "changed" | "moved"

interface Found {
  readonly id: string
  readonly mark: string
  readonly until: number
}

/** What is strange about a message, compared with what was seen before; null: nothing. */
export function strangeness(seen: Seen, { id, mark }: Pick<Found, "id" | "mark">): Strange | null {
  const known = Object.hasOwn(seen, id) ? seen[id] : undefined
  if (known !== undefined) return known.mark === mark && known.changed !== true ? null : "changed"
  return Object.values(seen).some((each) => each.mark === mark) ? "moved" : null
}

/**
 * The memory with these messages added. The first record of a message stays: looking at a message
 * must not clear its flag.
 */
export function remembered(seen: Seen, found: readonly Found[], today: number): Seen {
  const kept = Object.entries(seen).filter(([, { until }]) => until >= today)
  const next: Record<string, SeenMessage> = Object.fromEntries(kept)
  for (const message of found) {
    const { id, mark, until } = message
    const strange = strangeness(next, message)
    const known = next[id]
    if (strange === null) next[id] = known ?? { mark, until }
    else if (strange === "changed" && known !== undefined) next[id] = { ...known, changed: true }
  }
  return next
}

/** The memory after these messages were on the screen; one that is not in it is not added. */
export function withRead(seen: Seen, ids: readonly string[]): Seen {
  const read = ids.flatMap((id): [string, SeenMessage][] => {
    const known = Object.hasOwn(seen, id) ? seen[id] : undefined
    return known === undefined ? [] : [[id, { ...known, read: true }]]
  })
  return { ...seen, ...Object.fromEntries(read) }
}

const DIGITS = /^[0-9a-f]{32}$/
const MARK = /^[0-9a-f]{64}$/

/** Reads a stored memory; throws for anything else. */
export function readSeen(value: unknown): Seen {
  if (typeof value !== "object" || value === null) throw new Error("this is no memory of messages")
  const entries = Object.entries(value as Record<string, Partial<SeenMessage> | null>)
  return Object.fromEntries(
    entries.map(([id, entry]): [string, SeenMessage] => {
      const { mark = "", until, changed, read } = entry ?? {}
      if (!DIGITS.test(id) || !MARK.test(mark) || !Number.isSafeInteger(until))
        throw new Error("this is no memory of messages")
      const flags = { ...(changed === true && { changed }), ...(read === true && { read }) }
      return [id, { mark, until: until ?? 0, ...flags }]
    }),
  )
}

const MEMBER = "seen.json"

/**
 * The envelope of a memory, for a store that others can read. Its size reveals little about how
 * much it holds.
 */
export function packSeen(seen: Seen): Uint8Array {
  const members = [{ name: MEMBER, bytes: new TextEncoder().encode(JSON.stringify(seen)) }]
  const size = classOf(tarSize(members))
  if (size === null) throw new EnvelopeFault("size")
  return writeTar(members, size)
}

export function unpackSeen(envelope: Uint8Array): Seen {
  const [member] = readTar(envelope, {
    allowed: /^seen\.json$/,
    membersMax: 1,
    bytesMax: SIZE_CLASSES.at(-1) ?? 0,
  })
  if (member === undefined) throw new EnvelopeFault("archive")
  try {
    return readSeen(JSON.parse(new TextDecoder().decode(member.bytes)))
  } catch (cause) {
    throw new EnvelopeFault("manifest", { cause })
  }
}
