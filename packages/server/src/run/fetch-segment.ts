import type { IncomingMessage } from "node:http"
import { request } from "node:https"
import { keepBrought, OtherBytes, type WantedSegment } from "@assay/corpus/brought-segments"
import type { Node } from "@assay/stores/records-nodes"
import { askingTls } from "./node-tls.ts"
import { SEGMENTS_PATH } from "./serve-segments.ts"

/** Another node, as it can be asked for segments. */
export interface Peer {
  readonly id: string
  readonly host: string
  readonly address: { readonly host: string; readonly port: number } | null
}

/** Why a segment did not come from a node. */
export interface NotBrought {
  readonly node: string
  readonly host: string
  readonly why: keyof typeof REASONS
}

const REASONS = {
  unreachable: "did not answer",
  lacking: "does not have it",
  damaged: "has it damaged",
  closed: "has no ASSAY_NODE_PORT",
} as const

export interface FetchPlace {
  readonly key: Uint8Array
  /** The directory of this node's segments. */
  readonly segments: string
  readonly signal: AbortSignal
}

/** How long a node may take to begin an answer. */
const ANSWER_MS = 5_000
/** How long it may send nothing. */
const IDLE_MS = 30_000

/** The other nodes, those that were heard of last first. */
export function peersOf(nodes: readonly Node[], self: string): Peer[] {
  return nodes
    .filter(({ id }) => id !== self)
    .toSorted((one, other) => other.seenAt - one.seenAt)
    .map(({ id, host, serves }) => ({ id, host, address: addressIn(serves) }))
}

/** The address that a node says its segments are at; of a node of another version maybe none. */
function addressIn(serves: string): Peer["address"] {
  const { segments } = JSON.parse(serves) as { readonly segments?: unknown }
  if (typeof segments !== "object" || segments === null) return null
  const { host, port } = segments as { readonly host?: unknown; readonly port?: unknown }
  return typeof host === "string" && typeof port === "number" ? { host, port } : null
}

/**
 * Brings a segment from the first of the nodes that has it. Returns why it did not come from those
 * that were asked; null where it is here. Throws where it cannot be kept here.
 */
export async function bringSegment(
  wanted: WantedSegment,
  peers: readonly Peer[],
  place: FetchPlace,
): Promise<readonly NotBrought[] | null> {
  const failed: NotBrought[] = []
  for (const peer of peers) {
    place.signal.throwIfAborted()
    const why = peer.address === null ? "closed" : await fetchSegment(wanted, peer.address, place)
    if (why === null) return null
    failed.push({ node: peer.id, host: peer.host, why })
  }
  return failed
}

/** In words for the end of a sentence. */
export function reasonsText(failed: readonly NotBrought[]): string {
  if (failed.length === 0) return "there is no other node"
  return failed.map(({ node, host, why }) => `${node} (${host}) ${REASONS[why]}`).join(", ")
}

class PeerGone extends Error {
  override readonly name = "PeerGone"
}

async function fetchSegment(
  wanted: WantedSegment,
  address: { readonly host: string; readonly port: number },
  { key, segments, signal }: FetchPlace,
): Promise<NotBrought["why"] | null> {
  try {
    const answer = await ask(wanted.file, address, key, signal)
    try {
      if (answer.statusCode !== 200) return "lacking"
      if (Number(answer.headers["content-length"]) !== wanted.bytes) return "damaged"
      await keepBrought(segments, wanted, piecesOf(answer))
      return null
    } finally {
      answer.destroy()
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof PeerGone) return "unreachable"
    if (error instanceof OtherBytes) return "damaged"
    throw error
  }
}

async function ask(
  file: string,
  { host, port }: { readonly host: string; readonly port: number },
  key: Uint8Array,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    const asked = request({
      ...askingTls(key),
      ...{ host, port, path: SEGMENTS_PATH + file, agent: false, timeout: IDLE_MS, signal },
    })
    const late = setTimeout(() => asked.destroy(new PeerGone("No answer")), ANSWER_MS)
    asked.on("timeout", () => asked.destroy(new PeerGone("Nothing came")))
    asked.on("error", (cause) => {
      clearTimeout(late)
      reject(new PeerGone("The node did not answer", { cause }))
    })
    asked.on("response", (answer) => {
      clearTimeout(late)
      resolve(answer)
    })
    asked.end()
  })
}

/** What a node sends; that it is cut off is told from what the disk does. */
async function* piecesOf(answer: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of answer) yield piece as Uint8Array
  } catch (cause) {
    throw new PeerGone("The answer was cut off", { cause })
  }
}
