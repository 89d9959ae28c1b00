import type { Webhook, WebhookReplay } from "@assay/client"
import { REPLAY_PER_SECOND, REPLAY_PER_SECOND_MAX } from "@assay/core/contract"
import { Alert, Button, Checkbox, Group, NativeSelect, Stack, TextInput } from "@mantine/core"
import type { ReactElement } from "react"
import { useChange } from "../ui/change.ts"
import { isEventKind } from "../ui/event-words.ts"
import { sending, textIn } from "../ui/form.ts"
import { service } from "../ui/service.ts"
import { Failure } from "../ui/states.tsx"

const count = new Intl.NumberFormat()

/** Sends the events of a time again, no faster than a receiver can take them. */
export function Replay({ of }: { readonly of: Webhook }): ReactElement {
  const replay = useChange(
    (wanted: WebhookReplay) => service.webhooks.replay(of.id, wanted),
    "deliveries",
  )
  return (
    <details className="panel">
      <summary>Send events of a time again</summary>
      <form onSubmit={sending((form) => replay.mutate(replayIn(form)))}>
        <Stack mt="md">
          <p>
            Events that this webhook gets and did not take are queued again, the oldest first. They
            keep their ids, so a receiver that takes each id once takes none twice.
          </p>
          <Group align="flex-end">
            <TextInput name="since" label="From (UTC)" type="datetime-local" required />
            <TextInput name="until" label="Until (UTC)" type="datetime-local" />
            <NativeSelect
              name="kind"
              label="Kind"
              data={[{ value: "", label: "Any" }, ...of.events]}
            />
            <TextInput
              name="rate"
              label="A second"
              type="number"
              min={1}
              max={REPLAY_PER_SECOND_MAX}
              defaultValue={REPLAY_PER_SECOND}
              required
              w={110}
            />
          </Group>
          <Checkbox name="delivered" label="Those that were delivered too" />
          <Group>
            <Button
              type="submit"
              variant="default"
              loading={replay.isPending}
              disabled={!of.enabled}
            >
              Send them again
            </Button>
            {!of.enabled && <p className="soft">Enable the webhook first.</p>}
          </Group>
          <div aria-live="polite">
            {replay.error !== null && <Failure error={replay.error} />}
            {replay.data !== undefined && (
              <Alert
                color="teal"
                title={
                  replay.data.queued === 1
                    ? "1 event is sent again"
                    : `${count.format(replay.data.queued)} events are sent again`
                }
                role="status"
              />
            )}
          </div>
        </Stack>
      </form>
    </details>
  )
}

function replayIn(form: FormData): WebhookReplay {
  const kind = textIn(form, "kind")
  const until = textIn(form, "until")
  return {
    since: momentOf(textIn(form, "since")),
    ...(until !== "" && { until: momentOf(until) }),
    ...(isEventKind(kind) && { events: [kind] }),
    include_delivered: form.get("delivered") !== null,
    per_second: Number(textIn(form, "rate")),
  }
}

/**
 * A field for a time has no zone, and seconds only where they were typed; all times here are UTC.
 */
const momentOf = (text: string): string => (text.length === 16 ? `${text}:00Z` : `${text}Z`)
