import { isPlainLoopback } from "@assay/runtime/outbound/base-url"
import type { CustomFetch } from "openid-client"

/** Far above what providers answer, and far below what would fill memory. */
const ANSWER_BYTES_MAX = 1_000_000

/** Asks encrypted or this machine, follows nobody elsewhere, and reads so much of an answer. */
export const boundedFetch: CustomFetch = async (url, options) => {
  const target = new URL(url)
  if (target.protocol !== "https:" && !isPlainLoopback(target))
    throw fault("NOT_ENCRYPTED", "The provider names an address that is not encrypted")
  const { body, ...rest } = options
  const response = await fetch(url, { ...rest, body: body ?? null, redirect: "manual" })
  const bytes = await boundedBytes(response)
  const { status, statusText, headers } = response
  // What has no body may not be given an empty one.
  return new Response(bytes.length === 0 ? null : bytes, { status, statusText, headers })
}

async function boundedBytes(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let count = 0
  const body: AsyncIterable<Uint8Array> | Uint8Array[] = response.body ?? []
  for await (const chunk of body) {
    count += chunk.length
    if (count > ANSWER_BYTES_MAX) throw fault("TOO_LONG", "The provider's answer is too long")
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

function fault(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
