import { isDeepStrictEqual } from "node:util"
import { isExplained } from "@assay/runtime/explained"
import type { KeyHolder } from "@assay/stores/records"
import { readTenantSettings, type ScoringSettings, scoringSettings } from "./tenant-settings.ts"

/** A policy that is computed for a caller's requests beside its own, and never acts. */
export interface ShadowPolicy<Caller extends ScoringSettings> {
  /** Decisions name it. */
  readonly version: number
  /** The caller as it would be under that policy. */
  readonly caller: Caller
  /** Whether both policies look at the same things about an address, and only weigh them apart. */
  readonly sameEmailInput: boolean
}

/**
 * A shadow looks at no more than the policy that acts: what that one may not see, and whom it does
 * not ask, stays out. Null for settings this program cannot read, because a shadow must not stop
 * what it stands beside.
 */
export function shadowPolicyOf<Caller extends ScoringSettings>(
  { version, settings }: NonNullable<KeyHolder["shadow"]>,
  live: Caller,
): ShadowPolicy<Caller> | null {
  const read = readOrNull(settings)
  if (read === null) return null
  const caller = {
    ...live,
    ...read,
    verified: read.verified && live.verified,
    providers: read.providers && live.providers,
  }
  const sameEmailInput =
    caller.verified === live.verified && isDeepStrictEqual(caller.domains, live.domains)
  return { version, caller, sameEmailInput }
}

function readOrNull(settings: Readonly<Record<string, unknown>>): ScoringSettings | null {
  try {
    return scoringSettings(readTenantSettings(settings))
  } catch (error) {
    if (isExplained(error, "tenant-settings")) return null
    throw error
  }
}
