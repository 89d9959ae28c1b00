import { allowedSizes, fingerprint, type Recipients, recipientsFile } from "@assay/core/drop"
import { loadWords } from "@assay/core/drop/words"
import { readKeysFile } from "./keys-file.ts"

/** The keys that messages are sealed to now, and the values derived from them. */
export interface KeysInUse {
  readonly recipients: Recipients
  /** The recipients file, as senders get it. */
  readonly file: string
  /** Six English words. */
  readonly fingerprint: readonly string[]
  /** Every size a sealed message can have, in the order of classes. */
  readonly sizes: ReadonlySet<number>
}

/**
 * The number in `SIZE_CLASSES` of the class for a sealed message of this size; null if there is
 * none.
 */
export function classOfSize({ sizes }: Pick<KeysInUse, "sizes">, size: number): number | null {
  const found = [...sizes].indexOf(size)
  return found < 0 ? null : found
}

export interface Keys {
  /** null while there are none. */
  current(): KeysInUse | null
  /** Loads the file again. An unusable file throws, and the keys stay the same. */
  reload(): Promise<void>
}

export async function openKeys(folder: string, dropId: Uint8Array): Promise<Keys> {
  const words = await loadWords("en")
  let keys: KeysInUse | null = null
  return {
    current: () => keys,
    async reload() {
      const recipients = readKeysFile(folder)
      keys = recipients && {
        recipients,
        file: recipientsFile({ dropId: new Uint8Array(dropId), recipients }),
        fingerprint: fingerprint(recipients.keys, words),
        sizes: new Set(allowedSizes(recipients.keys.length, recipients.suite)),
      }
    },
  }
}
