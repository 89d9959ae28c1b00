import "@mantine/core/styles/Radio.css"
import type { SharedSignalsStreamRequest } from "@assay/client"
import { Button, Checkbox, Group, Radio, Stack, TextInput } from "@mantine/core"
import { type ReactElement, useState } from "react"
import { useLocation } from "wouter"
import { useChange } from "../ui/change.ts"
import { sending, textIn } from "../ui/form.ts"
import { service } from "../ui/service.ts"
import { Failure } from "../ui/states.tsx"
import { ACTING, eventMeanings } from "./words.ts"

type Method = SharedSignalsStreamRequest["method"]
type Event = NonNullable<SharedSignalsStreamRequest["events"]>[number]

const EVENTS = Object.keys(eventMeanings) as Event[]

/** Makes a stream, for receivers that do not make their own. */
export function NewStream({ isFirst }: { readonly isFirst: boolean }): ReactElement {
  const [, go] = useLocation()
  const [isOpen] = useState(isFirst)
  const [method, setMethod] = useState<Method>("push")
  const create = useChange(async (request: SharedSignalsStreamRequest) => {
    const { id } = await service.sharedSignals.create(request)
    go(`/console/shared-signals/${id}`)
  }, "shared-signals")
  return (
    <details className="panel" open={isOpen}>
      <summary>Make a stream</summary>
      <form onSubmit={sending((form) => create.mutate(requestIn(form, method)))}>
        <Stack mt="md">
          <TextInput
            name="description"
            label="Note"
            description="To recognise it by."
            maxLength={200}
            autoComplete="off"
          />
          <Radio.Group
            label="How the receiver gets tokens"
            value={method}
            onChange={(value) => setMethod(value)}
          >
            <Stack gap="xs" mt="xs">
              <Radio value="push" label="They are sent to it" description="RFC 8935, at its URL." />
              <Radio
                value="poll"
                label="It fetches them"
                description="RFC 8936, at the URL that the stream will have."
              />
            </Stack>
          </Radio.Group>
          {method === "push" && <OfPush />}
          <TextInput
            name="issuer"
            label="Issuer of your names"
            description="Where your names of watch items are user ids of an identity provider: its issuer. Without it the names stand alone."
            placeholder="https://login.example.com"
            type="url"
            maxLength={500}
            autoComplete="off"
          />
          <Checkbox.Group
            label="What it is told"
            defaultValue={EVENTS.filter((event) => !ACTING.includes(event))}
          >
            <Stack gap="xs" mt="xs">
              {EVENTS.map((event) => (
                <Checkbox
                  key={event}
                  name="events"
                  value={event}
                  label={event}
                  description={eventMeanings[event]}
                />
              ))}
            </Stack>
          </Checkbox.Group>
          <Group>
            <Button type="submit" loading={create.isPending}>
              Make stream
            </Button>
          </Group>
          {create.error !== null && <Failure error={create.error} />}
        </Stack>
      </form>
    </details>
  )
}

function OfPush(): ReactElement {
  return (
    <>
      <TextInput
        name="url"
        label="URL"
        description="https, at a public address. Of Okta: /security/api/v1/security-events of your domain."
        type="url"
        maxLength={2000}
        autoComplete="off"
        required
      />
      <TextInput
        name="authorization"
        label="Authorization"
        description="Where the receiver wants one, such as Bearer and a token. It is kept sealed and shown nowhere."
        type="password"
        maxLength={2000}
        autoComplete="off"
      />
      <Checkbox
        name="okta"
        label="Speak as Okta does"
        description="Changes of risk in Okta's own form, and nothing that Okta does not take."
      />
    </>
  )
}

function requestIn(form: FormData, method: Method): SharedSignalsStreamRequest {
  const [url, authorization, issuer] = ["url", "authorization", "issuer"].map((name) =>
    textIn(form, name).trim(),
  )
  return {
    method,
    description: textIn(form, "description").trim(),
    events: form.getAll("events") as Event[],
    ...(issuer
      ? { subject_format: "iss_sub", subject_issuer: issuer }
      : { subject_format: "opaque" }),
    ...(method === "push" && {
      ...(url && { url }),
      ...(authorization && { authorization }),
      ...(form.has("okta") && { dialect: "okta" }),
    }),
  }
}
