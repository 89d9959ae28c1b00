import { fingerprint } from "./fingerprint.ts"
import type { Manifest, ThreadAddress } from "./manifest.ts"
import type { WordList } from "./thread-code.ts"

/** A message as it was opened, under the id it is stored with. */
export interface ThreadMessage {
  readonly id: string
  readonly opened: { readonly manifest: Manifest }
}

export interface Thread<M extends ThreadMessage = ThreadMessage> {
  /** The keys replies are sealed to, or the number of a one-way message. */
  readonly id: string
  /** Six words made of those keys; null for a one-way message. */
  readonly name: string | null
  /** Where replies go, or null for a one-way message. */
  readonly address: ThreadAddress | null
  /** In the order of the visit if it is known; nothing records when a message came. */
  readonly messages: readonly M[]
  /** Stored again under another id: by the server, or by somebody who copied them there. */
  readonly duplicates: readonly M[]
  /** Another thread gives the same mailbox with another key, so one of the two is an impostor. */
  readonly contested: boolean
}

/**
 * The identity of a thread. It covers both keys, since replies are sealed to one or the other:
 * somebody who takes over one of them gets another thread.
 */
export function threadOf({ thread, nid }: Manifest): string {
  return thread === undefined ? nid : addressKeys(thread).join(" ")
}

/** The name of a thread, made of its keys alone: a key that was swapped shows as another name. */
export function threadName(address: ThreadAddress, list: WordList): string {
  return fingerprint(addressKeys(address), list).join(" ")
}

/** Groups opened messages into threads, in the order of their first message. */
export function groupThreads<M extends ThreadMessage>(
  messages: readonly M[],
  list: WordList,
): Thread<M>[] {
  const seen = new Set<string>()
  const again = new Set<M>()
  for (const message of messages) {
    const { nid } = message.opened.manifest
    if (seen.has(nid)) again.add(message)
    seen.add(nid)
  }
  const groups = new Map<string, M[]>()
  const holders = new Map<string, Set<string>>()
  for (const message of messages) {
    const { manifest } = message.opened
    const id = threadOf(manifest)
    groups.set(id, [...(groups.get(id) ?? []), message])
    const mailbox = manifest.thread?.mailbox
    if (mailbox === undefined) continue
    holders.set(mailbox, (holders.get(mailbox) ?? new Set()).add(id))
  }
  const isContested = (mailbox: string): boolean => (holders.get(mailbox)?.size ?? 0) > 1
  return [...groups].map(([id, group]) => {
    const addresses = group.flatMap(({ opened: { manifest } }) => manifest.thread ?? [])
    const address = addresses[0] ?? null
    return {
      id,
      name: address === null ? null : threadName(address, list),
      address,
      messages: group.filter((message) => !again.has(message)).toSorted(byVisit),
      duplicates: group.filter((message) => again.has(message)),
      contested: addresses.some(({ mailbox }) => isContested(mailbox)),
    }
  })
}

function addressKeys({ reply_to, reply_to_pq }: ThreadAddress): string[] {
  return reply_to_pq === undefined ? [reply_to] : [reply_to, reply_to_pq]
}

/** Those of the first visit by their number, then all others. */
function byVisit(a: ThreadMessage, b: ThreadMessage): number {
  const number = ({ opened }: ThreadMessage): number => opened.manifest.thread?.n ?? Infinity
  const [first, second] = [number(a), number(b)]
  return first === second ? 0 : first - second
}
