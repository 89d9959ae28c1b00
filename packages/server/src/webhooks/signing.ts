import { createHmac, createPrivateKey, generateKeyPairSync, randomBytes, sign } from "node:crypto"
import { newId } from "@assay/stores/event-id"
import type { NewSecret, WebhookSecret } from "@assay/stores/records-webhooks"
import type { Sealer } from "../accounts/sealed.ts"

type Jwk = Extract<Parameters<typeof createPrivateKey>[0], { format: "jwk" }>["key"]

/** What secrets of webhooks are sealed for. */
export const WEBHOOK_SECRET = "webhook secret"

const SECRET_BYTES = 32

/** A secret, and how its owner gets to know it. */
export interface MadeSecret {
  readonly secret: NewSecret
  /** `whsec_…`, or the public half `whpk_…`. */
  readonly text: string
}

/** For `v1`: owner and service share it. */
export function makeSharedSecret(sealer: Sealer, webhookId: string): MadeSecret {
  const base64 = randomBytes(SECRET_BYTES).toString("base64")
  const id = newId("whs_")
  const sealed = sealer.seal(base64, sealedOf(webhookId, id))
  return { secret: { id, scheme: "v1", sealed, publicKey: null }, text: `whsec_${base64}` }
}

/**
 * For `v1a`. Every webhook has a pair of its own: with one for all, whoever is sent an event could
 * pass it on to another receiver as that one's.
 */
export function makeKeyPair(sealer: Sealer, webhookId: string): MadeSecret {
  const { privateKey } = generateKeyPairSync("ed25519")
  const jwk = privateKey.export({ format: "jwk" })
  const publicKey = new Uint8Array(Buffer.from(jwk.x ?? "", "base64url"))
  const id = newId("whs_")
  const sealed = sealer.seal(JSON.stringify(jwk), sealedOf(webhookId, id))
  const text = `whpk_${Buffer.from(publicKey).toString("base64")}`
  return { secret: { id, scheme: "v1a", sealed, publicKey }, text }
}

/** What is signed, by Standard Webhooks 1.0. */
export interface Signed {
  readonly id: string
  /** Of the attempt, in seconds. */
  readonly timestamp: number
  readonly body: string
}

/**
 * The header `webhook-signature`: one signature by each secret, so that a receiver who knows any of
 * them can check it. null where none can be opened.
 */
export function signatureOf(
  sealer: Sealer,
  secrets: readonly WebhookSecret[],
  { id, timestamp, body }: Signed,
): string | null {
  const content = Buffer.from(`${id}.${timestamp}.${body}`)
  const signatures = secrets.flatMap(({ id: secretId, webhookId, scheme, sealed }) => {
    const opened = sealer.open(sealed, sealedOf(webhookId, secretId))
    if (opened === null) return []
    const bytes =
      scheme === "v1"
        ? createHmac("sha256", Buffer.from(opened, "base64")).update(content).digest()
        : sign(null, content, createPrivateKey({ key: JSON.parse(opened) as Jwk, format: "jwk" }))
    return `${scheme},${bytes.toString("base64")}`
  })
  return signatures.length === 0 ? null : signatures.join(" ")
}

function sealedOf(webhookId: string, secretId: string): string {
  return `${webhookId} ${secretId}`
}
