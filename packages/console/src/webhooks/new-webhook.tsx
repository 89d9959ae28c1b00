import "@mantine/core/styles/Radio.css"
import type { NewWebhook as Made, WebhookRequest } from "@assay/client"
import { Button, Group, Radio, Stack, TextInput } from "@mantine/core"
import { type ReactElement, useState } from "react"
import { Link } from "wouter"
import { useChange } from "../ui/change.ts"
import { sending, textIn } from "../ui/form.ts"
import { service } from "../ui/service.ts"
import { Failure } from "../ui/states.tsx"
import { Kinds, kindsIn } from "./kinds.tsx"
import { Secrets } from "./secrets.tsx"

/** Makes a webhook, and shows its secret this once. */
export function NewWebhook({ isFirst }: { readonly isFirst: boolean }): ReactElement {
  const [made, setMade] = useState<Made | null>(null)
  // It stays as it was when the first one is made.
  const [isOpen] = useState(isFirst)
  const create = useChange(
    async (request: WebhookRequest) => setMade(await service.webhooks.create(request)),
    "webhooks",
  )
  return (
    <>
      {made !== null && (
        <Secrets key={made.webhook.id} of={made}>
          <p>
            <Link href={`/console/webhooks/${made.webhook.id}`}>Send it a test</Link>
          </p>
        </Secrets>
      )}
      {/* After each that is made the form is another, without what was typed. */}
      <details key={made?.webhook.id} className="panel" open={isOpen}>
        <summary>Make a webhook</summary>
        <form onSubmit={sending((form) => create.mutate(requestIn(form)))}>
          <Stack mt="md">
            <TextInput
              name="url"
              label="URL"
              description="https, at a public address. An operator can allow ranges of private ones."
              placeholder="https://hooks.example.com/assay"
              type="url"
              maxLength={2000}
              autoComplete="off"
              required
            />
            <TextInput
              name="description"
              label="Note"
              description="To recognise it by."
              maxLength={200}
              autoComplete="off"
            />
            <Kinds chosen={[]} />
            <Radio.Group name="signatures" label="How it is signed" defaultValue="v1">
              <Stack gap="xs" mt="xs">
                <Radio
                  value="v1"
                  label="HMAC-SHA256"
                  description="By a secret that you and the service share. Every library of Standard Webhooks checks it."
                />
                <Radio
                  value="v1a"
                  label="HMAC-SHA256 and Ed25519"
                  description="Also by a key pair: whoever has the public key can check, and nobody but the service can sign."
                />
              </Stack>
            </Radio.Group>
            <Group>
              <Button type="submit" loading={create.isPending}>
                Make webhook
              </Button>
            </Group>
            {create.error !== null && <Failure error={create.error} />}
          </Stack>
        </form>
      </details>
    </>
  )
}

function requestIn(form: FormData): WebhookRequest {
  return {
    url: textIn(form, "url").trim(),
    description: textIn(form, "description").trim(),
    events: kindsIn(form),
    signatures: textIn(form, "signatures") === "v1a" ? ["v1", "v1a"] : ["v1"],
  }
}
