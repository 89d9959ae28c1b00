import { type OpenedMessage, unpackMessage } from "./envelope.ts"
import { EnvelopeFault } from "./envelope-fault.ts"
import { open, type Progress } from "./seal.ts"

const WRAPPED = "attachment-1.age"

/**
 * Opens and unpacks a sealed message. A file that its sender sealed in another form is stored in an
 * envelope around it. If that file holds a message, this returns the message, as `wrapped`;
 * otherwise it returns the envelope with the file in it.
 */
export async function openMessage(
  sealed: Uint8Array,
  identities: readonly string[],
  onProgress?: Progress,
): Promise<OpenedMessage & { readonly wrapped: boolean }> {
  const outer = unpackMessage(await open(sealed, identities, onProgress))
  const [file, ...others] = outer.files
  const isWrapper = file?.name === WRAPPED && others.length === 0 && outer.message === ""
  if (!isWrapper || outer.manifest.sealed_by !== "server") return { ...outer, wrapped: false }
  try {
    return { ...unpackMessage(await open(file.bytes, identities)), wrapped: true }
  } catch (error) {
    if (error instanceof EnvelopeFault) return { ...outer, wrapped: false }
    throw error
  }
}
