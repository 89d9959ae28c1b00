import type { WebhookSecrets } from "@assay/client"
import type { ReactElement, ReactNode } from "react"
import { Copy } from "../ui/copy.tsx"
import { ShownOnce } from "../ui/secret.tsx"

/** What a receiver checks attempts by, shown this once. */
export function Secrets(props: {
  readonly of: WebhookSecrets
  readonly children?: ReactNode
}): ReactElement {
  const { secret, public_key: publicKey } = props.of
  return (
    <ShownOnce title="Secret of the webhook" text={secret} what="secret">
      <p className="soft">
        Give it to the receiver, which checks the header <code>webhook-signature</code> by it as
        Standard Webhooks has it. It is kept encrypted, and nobody can show it again.
      </p>
      {publicKey !== null && (
        <p>
          Public key, for <code>v1a</code>: <code className="whole-code">{publicKey}</code>{" "}
          <Copy text={publicKey} what="public key" /> It is also in{" "}
          <a href="/.well-known/jwks.json">the service&apos;s key set</a>.
        </p>
      )}
      {props.children}
    </ShownOnce>
  )
}
