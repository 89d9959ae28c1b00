import type { Webhook, WebhookChange, WebhookSecrets } from "@assay/client"
import { Alert, Button, Group, NativeSelect, Stack, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { type ReactElement, useState } from "react"
import { Link, useLocation } from "wouter"
import { useChange } from "../ui/change.ts"
import { ConfirmedButton } from "../ui/confirm.tsx"
import { sending, textIn } from "../ui/form.ts"
import { service } from "../ui/service.ts"
import { Answer, Failure, PageHead } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { AttemptNotice } from "./attempts.tsx"
import { Deliveries } from "./deliveries.tsx"
import { Kinds, kindsIn } from "./kinds.tsx"
import { Replay } from "./replay.tsx"
import { Secrets } from "./secrets.tsx"
import { answerWords, disabledWords } from "./words.ts"

const PATH = "/console/webhooks"

/** One webhook: its life, and what was sent to it. */
export function OneWebhook({ id }: { readonly id: string }): ReactElement {
  const webhook = useQuery({
    queryKey: ["webhooks", id],
    queryFn: ({ signal }) => service.webhooks.get(id, { signal }),
  })
  return (
    <>
      <PageHead title="Webhook">
        <Link href={PATH}>All webhooks</Link>
      </PageHead>
      <Answer of={webhook}>
        {(found) => (
          <>
            <About of={found} />
            <Acts of={found} />
            <Edit key={found.changed_at} of={found} />
            <Replay of={found} />
            <Deliveries id={id} />
          </>
        )}
      </Answer>
    </>
  )
}

function About({ of }: { readonly of: Webhook }): ReactElement {
  return (
    <>
      {of.disabled !== null && <DisabledNotice of={of.disabled} />}
      <dl className="facts">
        <dt>URL</dt>
        <dd>{of.url}</dd>
        {of.description !== "" && (
          <>
            <dt>Note</dt>
            <dd>{of.description}</dd>
          </>
        )}
        <dt>Events</dt>
        <dd>{of.events.join(", ")}</dd>
        <dt>Signed by</dt>
        <dd>{of.signatures.includes("v1a") ? "HMAC-SHA256 and Ed25519" : "HMAC-SHA256"}</dd>
        <dt>State</dt>
        <dd>{of.enabled ? "Enabled" : "Disabled"}</dd>
        <dt>Made</dt>
        <dd>
          <Moment at={of.created_at} />
        </dd>
        <dt>Id</dt>
        <dd>
          <code>{of.id}</code>
        </dd>
      </dl>
    </>
  )
}

function DisabledNotice(props: { readonly of: NonNullable<Webhook["disabled"]> }): ReactElement {
  const { at, reason, event_id: eventId, event_type: kind, last_status, last_error } = props.of
  return (
    <Alert color="red" title="Nothing is sent" role="status" mb="md">
      <p>
        {disabledWords[reason]} Disabled since <Moment at={at} />.
      </p>
      {eventId !== null && (
        <p>
          The last event sent there was <Link href={`/console/events/${eventId}`}>{kind}</Link>
          {last_status !== null || last_error !== null
            ? `. ${answerWords(last_status, last_error)}.`
            : "."}
        </p>
      )}
      <p>What waited is dead. Enable it once the receiver works, and send again what it missed.</p>
    </Alert>
  )
}

/** Sends, rotates, stops and deletes. */
function Acts({ of }: { readonly of: Webhook }): ReactElement {
  const [, go] = useLocation()
  const [secrets, setSecrets] = useState<WebhookSecrets | null>(null)
  const test = useChange(() => service.webhooks.test(of.id), "deliveries")
  const change = useChange(
    (enabled: boolean) => service.webhooks.change(of.id, { enabled }),
    "webhooks",
    "deliveries",
  )
  const rotate = useChange(async (hours: number) => {
    setSecrets(await service.webhooks.rotate(of.id, { overlap_hours: hours }))
  }, "webhooks")
  const remove = useChange(async () => {
    await service.webhooks.delete(of.id)
    go(PATH)
  }, "webhooks")
  const failed = test.error ?? change.error ?? rotate.error
  return (
    <>
      <Group my="md">
        <Button loading={test.isPending} onClick={() => test.mutate(undefined)}>
          Send a test
        </Button>
        {of.enabled ? (
          <Button
            variant="default"
            loading={change.isPending}
            title="What waits is given up, and can be sent again once it is enabled."
            onClick={() => change.mutate(false)}
          >
            Disable webhook
          </Button>
        ) : (
          <Button loading={change.isPending} onClick={() => change.mutate(true)}>
            Enable webhook
          </Button>
        )}
        <ConfirmedButton
          label="Delete webhook"
          name={of.id}
          act={() => remove.mutateAsync(undefined)}
        >
          <p>
            Nothing is sent to <code>{of.url}</code> any more, and the log of what was sent is
            deleted. The events stay. This cannot be undone.
          </p>
        </ConfirmedButton>
      </Group>
      {test.data !== undefined && <AttemptNotice of={test.data} />}
      {secrets !== null && <Secrets key={secrets.secret} of={secrets} />}
      {failed !== null && <Failure error={failed} />}
      <details className="panel">
        <summary>Rotate the secret</summary>
        <form onSubmit={sending((form) => rotate.mutate(Number(textIn(form, "hours"))))}>
          <p>
            A new secret is made{of.signatures.includes("v1a") && ", and a new key pair"}. For as
            long as you choose attempts are signed by the old one as well, so that receivers can be
            changed one by one.
          </p>
          <Group align="flex-end">
            <NativeSelect
              name="hours"
              label="The old one signs for"
              data={OVERLAPS}
              defaultValue="24"
            />
            <Button type="submit" variant="default" loading={rotate.isPending}>
              Rotate secret
            </Button>
          </Group>
        </form>
      </details>
    </>
  )
}

const OVERLAPS = [
  { value: "0", label: "no longer: it leaked" },
  { value: "1", label: "1 hour" },
  { value: "24", label: "24 hours" },
  { value: "168", label: "7 days" },
  { value: "720", label: "30 days" },
]

/** Changes where it goes and which events it gets. */
function Edit({ of }: { readonly of: Webhook }): ReactElement {
  const change = useChange(
    (wanted: WebhookChange) => service.webhooks.change(of.id, wanted),
    "webhooks",
  )
  const send = (form: FormData): void =>
    change.mutate({
      url: textIn(form, "url").trim(),
      description: textIn(form, "description").trim(),
      events: kindsIn(form),
    })
  return (
    <details className="panel">
      <summary>Change URL, note or events</summary>
      <form onSubmit={sending(send)}>
        <Stack mt="md">
          <TextInput
            name="url"
            label="URL"
            type="url"
            defaultValue={of.url}
            maxLength={2000}
            autoComplete="off"
            required
          />
          <TextInput
            name="description"
            label="Note"
            defaultValue={of.description}
            maxLength={200}
            autoComplete="off"
          />
          <Kinds chosen={of.events} />
          <Group>
            <Button type="submit" loading={change.isPending}>
              Save changes
            </Button>
          </Group>
          {change.error !== null && <Failure error={change.error} />}
        </Stack>
      </form>
    </details>
  )
}
