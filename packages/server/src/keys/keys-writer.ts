import type { ApiKey, Records } from "@assay/stores/records"
import { RecordsError } from "@assay/stores/records-error"
import { consoleKeyId } from "@assay/stores/records-people"
import { writerPort } from "../base/writer-port.ts"
import type { Primary } from "../http/feature.ts"

/** A key as its tenant asks for it. Its text stays in the worker that made it. */
export interface KeyMade {
  readonly id: string
  readonly hash: Uint8Array
  readonly hint: string
  readonly expiresAt: number | null
}

interface Asker {
  readonly tenantId: number
  readonly actor: string
  /** For the audit trail. */
  readonly requestId: string
}

interface OfKey extends Asker {
  readonly id: string
}

/** The key afterwards, or why nothing was changed. */
export type KeyOutcome = ApiKey | "not-found" | "ended" | "too-many" | "beyond"

/** What changes keys of tenants, in the primary. A key of another tenant is not found. */
export interface KeyKeeper {
  create(
    key: KeyMade & Asker & { readonly label: string; readonly scopes: readonly string[] },
  ): Promise<KeyOutcome>
  /** `scopes`: those of whoever asks, who would otherwise get a key that may do more. */
  rotate(
    of: OfKey & {
      readonly scopes: readonly string[]
      readonly overlapMs: number
      readonly newKey: KeyMade
    },
  ): Promise<KeyOutcome>
  change(
    of: OfKey & {
      readonly scopes: readonly string[]
      readonly label?: string
      readonly expiresAt?: number | null
    },
  ): Promise<KeyOutcome>
  revoke(of: OfKey): Promise<KeyOutcome>
}

export const keysPort = writerPort<KeyKeeper>(
  "keys",
  { create: true, rotate: true, change: true, revoke: true },
  { failed: "The keys cannot be changed" },
)

/** Far more than an integration needs, and few enough to be looked at. */
export const KEYS_MAX = 100

export async function openKeysWriter({
  records,
  now,
}: Pick<Primary, "records" | "now">): Promise<KeyKeeper> {
  const find = async ({ tenantId, id }: OfKey): Promise<ApiKey | undefined> =>
    (await ownKeys(records, tenantId)).find((key) => key.id === id)

  return {
    async create(key) {
      const at = now()
      const works = ({ revokedAt, expiresAt }: ApiKey): boolean =>
        revokedAt === null && (expiresAt === null || expiresAt > at)
      const working = (await ownKeys(records, key.tenantId)).filter(works)
      if (working.length >= KEYS_MAX) return "too-many"
      return await records.createKey({ ...key, at })
    },

    async rotate({ scopes, overlapMs, newKey, ...of }) {
      const key = await find(of)
      if (key === undefined) return "not-found"
      if (!isWithin(key, scopes)) return "beyond"
      const at = now()
      return await orEnded(records.rotateKey({ ...of, newKey, overlapUntil: at + overlapMs, at }))
    },

    async change({ scopes, label, expiresAt, ...of }) {
      const key = await find(of)
      if (key === undefined) return "not-found"
      if (!isWithin(key, scopes)) return "beyond"
      return await orEnded(
        records.changeKey({
          ...of,
          at: now(),
          ...(label === undefined ? {} : { label }),
          ...(expiresAt === undefined ? {} : { expiresAt }),
        }),
      )
    },

    async revoke(of) {
      if ((await find(of)) === undefined) return "not-found"
      await records.revokeKey({ ...of, at: now() })
      return (await find(of)) ?? "not-found"
    },
  }
}

/** Without the one that what people do in the console is counted under: it opens nothing. */
export async function ownKeys(records: Pick<Records, "keys">, tenantId: number): Promise<ApiKey[]> {
  return (await records.keys({ tenantId })).filter(({ id }) => id !== consoleKeyId(tenantId))
}

function isWithin(key: ApiKey, scopes: readonly string[]): boolean {
  return key.scopes.every((scope) => scopes.includes(scope))
}

const ENDED: ReadonlySet<string> = new Set(["key-revoked", "key-expired", "key-replaced"])

async function orEnded(work: Promise<ApiKey>): Promise<KeyOutcome> {
  try {
    return await work
  } catch (error) {
    if (error instanceof RecordsError && ENDED.has(error.code)) return "ended"
    throw error
  }
}
