import { randomBytes } from "node:crypto"
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { readRecipients, type Recipients, recipientsFile } from "@assay/core/drop"
import { readIfPresent } from "@assay/runtime/if-present"

const KEYS_FILE = "keys.txt"

/**
 * The keys of the drop in this folder, or null while there are none. Throws a RecipientsFault if
 * they cannot be used.
 */
export function readKeysFile(folder: string): Recipients | null {
  const text = readIfPresent(join(folder, KEYS_FILE))
  return text === null ? null : readRecipients(text).recipients
}

/**
 * Puts these keys in the place of those before, all or nothing: half a file would be other
 * recipients. null: none.
 */
export function writeKeysFile(folder: string, recipients: Recipients | null): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, KEYS_FILE)
  if (recipients === null) {
    rmSync(file, { force: true })
  } else {
    const next = `${file}.${randomBytes(8).toString("hex")}`
    try {
      const text = recipientsFile({ dropId: null, recipients })
      writeFileSync(next, text, { mode: 0o600, flag: "wx", flush: true })
      renameSync(next, file)
    } catch (error) {
      rmSync(next, { force: true })
      throw error
    }
  }
  const opened = openSync(folder, "r")
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
