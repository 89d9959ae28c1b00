import { randomBytes } from "node:crypto"
import { type Scope, TENANT_SCOPES } from "@assay/core/contract"
import { type Config, wrongSettings } from "../base/config.ts"
import type { Secrets } from "@assay/runtime/secrets"
import type { Accounts } from "@assay/stores/records"
import { demoApiKey, hashApiKey, hintOf, readApiKey } from "./api-key.ts"
import { typedCommand } from "@assay/runtime/typed-command"

/** What the keys that a demo makes are called; they are no keys of anybody's own. */
const DEMO_LABEL = "demo"
const PAGE_LABEL = "demo page"

/**
 * Makes the keys a first start needs: the demo's, which every start can print again, and the one
 * automation preset. Returns the demo key, or null in production.
 */
export async function mintFirstKeys(
  accounts: Accounts,
  { production, bootstrapKey }: Pick<Config, "production" | "bootstrapKey">,
  { subkeys }: Secrets,
  at: number,
): Promise<string | null> {
  if (bootstrapKey !== null) {
    if (readApiKey(bootstrapKey) !== "live")
      throw wrongSettings(
        `ASSAY_BOOTSTRAP_KEY is not an API key; ${typedCommand("keys mint")} prints one`,
      )
    // Only the first key ever: a key that was rotated away must not come back because a variable is
    // still set.
    const others = (await accounts.keys()).filter(
      ({ label }) => label !== DEMO_LABEL && label !== PAGE_LABEL,
    )
    if (others.length === 0) await giveKey(accounts, "bootstrap", bootstrapKey, at)
  }
  if (production) return null
  const demoKey = demoApiKey(subkeys["demo-key"])
  await giveKey(accounts, DEMO_LABEL, demoKey, at)
  const pageKey = demoApiKey(subkeys["demo-key"], "page")
  await giveKey(accounts, DEMO_LABEL, pageKey, at, { label: PAGE_LABEL, scopes: ["score"] })
  return demoKey
}

/** An enterprise tenant with a key of every tenant scope; both only where they do not exist yet. */
async function giveKey(
  accounts: Accounts,
  name: string,
  key: string,
  at: number,
  of: { label: string; scopes: readonly Scope[] } = { label: name, scopes: TENANT_SCOPES },
): Promise<void> {
  const hash = hashApiKey(key)
  if ((await accounts.keyByHash(hash)) !== null) return
  const actor = "start"
  const tenant =
    (await accounts.tenantByName(name)) ??
    (await accounts.createTenant({ name, plan: "enterprise", at, actor }))
  await accounts.createKey({
    id: newKeyId(),
    tenantId: tenant.id,
    hash,
    hint: hintOf(key),
    ...of,
    at,
    expiresAt: null,
    actor,
  })
}

/** Names a key in lists, logs and usage; says nothing about the key itself. */
export function newKeyId(): string {
  return `key_${randomBytes(8).toString("hex")}`
}
