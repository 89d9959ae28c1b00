import { readFileSync } from "node:fs"
import type { AddressRange } from "@assay/runtime/outbound/address-guard"
import { openGuardedPosts, type PostAnswer, PostFailed } from "@assay/runtime/outbound/guarded-post"
import { settingsFault } from "../../settings/settings-file.ts"
import { SinkError } from "./destination.ts"

/** How long a receiver has for a batch. */
const ANSWER_MS = 20_000
/** More than the answer about a whole batch. */
const ANSWER_BYTES_MAX = 60_000
/** Nobody may keep a sink waiting for longer. */
const WAIT_MAX_MS = 3_600_000
/** The operator chose the receivers, so they may be anywhere. */
const ANYWHERE: readonly AddressRange[] = [
  { address: "0.0.0.0", prefix: 0, family: "ipv4" },
  { address: "::", prefix: 0, family: "ipv6" },
]

export interface Posts {
  /** The answer, where it says that all is well. Throws `SinkError` for all others. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<string>
  close(): void
}

/** Sends by HTTP to receivers that the operator chose. */
export function openPosts(caFile: string | undefined): Posts {
  const posts = openGuardedPosts({
    allowed: ANYWHERE,
    timeoutMs: ANSWER_MS,
    bodyBytesMax: ANSWER_BYTES_MAX,
    ...(caFile !== undefined && { ca: readFileSync(caFile, "utf8") }),
  })
  return {
    async post(url, headers, body) {
      const { status, body: text, retryAfter } = await posts.post(url, headers, body).catch(failed)
      if (status >= 200 && status < 300) return text
      throw new SinkError(`answered-${status}`, { waitMs: waitOf(retryAfter) })
    },
    close: () => posts.close(),
  }
}

function failed(error: unknown): PostAnswer {
  if (error instanceof PostFailed) throw new SinkError(error.code, { cause: error })
  throw error
}

function waitOf(retryAfter: PostAnswer["retryAfter"]): number {
  const seconds = Number(retryAfter ?? 0)
  return Number.isFinite(seconds) ? Math.min(WAIT_MAX_MS, Math.max(0, seconds * 1000)) : 0
}

/** A secret by itself in a file. */
export function readSecret(file: string, member: string): string {
  const secret = readFileSync(file, "utf8").trim()
  // It becomes a header.
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(secret))
    throw settingsFault(`at ${member}: must hold one line of ASCII`)
  return secret
}

/** An answer in JSON; what is none is an answer of somebody else. */
export function readAnswer(text: string): Readonly<Record<string, unknown>> {
  try {
    const answer: unknown = JSON.parse(text)
    if (typeof answer === "object" && answer !== null) return { ...answer }
  } catch {
    // Said below.
  }
  throw new SinkError("answer-not-understood")
}
