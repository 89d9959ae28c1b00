import { MINUTE_MS } from "@assay/runtime/time"
import type { SharedKey, SharedSignalRecords } from "@assay/stores/records-shared-signals"
import type { Sealer } from "../accounts/sealed.ts"
import { isRotationDue, makeSharedKey, nextSignsFrom, outlivedKeys } from "./sign.ts"

interface By {
  readonly actor: string
  readonly requestId: string | null
}

/** Sees to it that there is a key that signs, and to the next one in time. */
export interface KeyRotation {
  /** To be called often; does something about each minute. */
  settle(): Promise<void>
  /** The next key, which is published now and signs as soon as everybody can know it. */
  rotate(by: By): Promise<SharedKey>
}

interface RotationOptions {
  readonly records: Pick<SharedSignalRecords, "sharedKeys" | "addSharedKey" | "deleteSharedKeys">
  readonly sealer: Sealer
  readonly now: () => number
}

const SERVICE: By = { actor: "service", requestId: null }

export function openKeyRotation({ records, sealer, now }: RotationOptions): KeyRotation {
  let settledAt = -Infinity

  async function rotate(by: By): Promise<SharedKey> {
    const keys = await records.sharedKeys()
    const newest = keys.at(-1) ?? null
    const at = now()
    const signsFrom = nextSignsFrom(keys, at)
    if (signsFrom === null && newest !== null) return newest
    const key = await makeSharedKey(sealer, { createdAt: at, signsFrom: signsFrom ?? at })
    if (await records.addSharedKey({ ...by, at, key, after: newest?.id ?? null })) return key
    // Another service was faster, and its key is as good.
    return (await records.sharedKeys()).at(-1) ?? key
  }

  return {
    rotate,
    async settle() {
      const at = now()
      if (Math.abs(at - settledAt) < MINUTE_MS) return
      const keys = await records.sharedKeys()
      if (isRotationDue(keys, at)) await rotate(SERVICE)
      await records.deleteSharedKeys(outlivedKeys(keys, at).map(({ id }) => id))
      settledAt = at
    },
  }
}
