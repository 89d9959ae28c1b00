import type { ApiKey, NewApiKey } from "@assay/client"
import { TENANT_SCOPES } from "@assay/core/contract"
import { Button, Checkbox, Group, Stack, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { type ReactElement, useState } from "react"
import { curl } from "../card/calls.tsx"
import { useChange } from "../ui/change.ts"
import { ConfirmedButton } from "../ui/confirm.tsx"
import { Copy } from "../ui/copy.tsx"
import { sending, textIn } from "../ui/form.ts"
import { ShownOnce } from "../ui/secret.tsx"
import { service } from "../ui/service.ts"
import { Answer, Empty, Failure, PageHead } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { Table } from "../ui/table.tsx"

const HOUR_MS = 3_600_000

/** The keys of the tenant: made, rotated, revoked. */
export default function Keys(): ReactElement {
  const keys = useQuery({
    queryKey: ["keys"],
    queryFn: ({ signal }) => service.keys.list({ signal }),
  })
  const [made, setMade] = useState<NewApiKey | null>(null)
  return (
    <>
      <PageHead title="Keys">
        <HourKey onMade={setMade} />
      </PageHead>
      {made !== null && <Made key={made.api_key.id} made={made} />}
      <NewKey onMade={setMade} />
      <Answer of={keys}>
        {(list) =>
          list.keys.length === 0 ? (
            <Empty>This tenant has no keys yet. Make one to score from your own program.</Empty>
          ) : (
            <KeyTable keys={list.keys} onMade={setMade} />
          )
        }
      </Answer>
    </>
  )
}

/** What somebody wants who tries the API: a key that scores and ends by itself. */
function HourKey({ onMade }: { readonly onMade: (made: NewApiKey) => void }): ReactElement {
  const create = useChange(async () => {
    const key = { scopes: ["score" as const], label: "For one hour", expires_at: inAnHour() }
    onMade(await service.keys.create(key))
  }, "keys")
  return (
    <>
      <Button loading={create.isPending} onClick={() => create.mutate(undefined)}>
        Make a key for one hour
      </Button>
      {create.error !== null && <Failure error={create.error} />}
    </>
  )
}

function inAnHour(): string {
  return new Date(Date.now() + HOUR_MS).toISOString()
}

/** A new key, and a first call with it where it may score. */
function Made({ made: { key, api_key: about } }: { readonly made: NewApiKey }): ReactElement {
  const body = { email: "ana.silva@mail.example" }
  const call = curl({ path: "/api/v1/risk/score", body, apiKey: key })
  return (
    <ShownOnce title={`Key ${about.id}`} text={key} what="key">
      <p className="soft">
        Only its hash is kept, so nobody can show it again.
        {about.expires_at !== null && (
          <>
            {" "}
            It ends <Moment at={about.expires_at} />.
          </>
        )}
      </p>
      {about.scopes.includes("score") && (
        <>
          <pre className="code" tabIndex={0} aria-label="A first call">
            {call}
          </pre>
          <p>
            <Copy text={call} what="call" /> It also fits into{" "}
            <a href="/docs" target="_blank" rel="noreferrer">
              the API reference
            </a>
            .
          </p>
        </>
      )}
    </ShownOnce>
  )
}

function NewKey({ onMade }: { readonly onMade: (made: NewApiKey) => void }): ReactElement {
  const create = useChange(async (form: FormData) => {
    const scopes = form.getAll("scopes") as (typeof TENANT_SCOPES)[number][]
    const forAnHour = form.get("hour") !== null
    onMade(
      await service.keys.create({
        scopes,
        label: textIn(form, "label"),
        ...(forAnHour && { expires_at: inAnHour() }),
      }),
    )
  }, "keys")
  return (
    <details className="panel">
      <summary>Make a key</summary>
      <form onSubmit={sending(create.mutate)}>
        <Stack mt="md">
          <TextInput name="label" label="Label" description="To recognise it by." maxLength={100} />
          <Checkbox.Group label="What it may do" defaultValue={["score"]}>
            <div className="scopes">
              {TENANT_SCOPES.map((scope) => (
                <Checkbox key={scope} name="scopes" value={scope} label={scope} />
              ))}
            </div>
          </Checkbox.Group>
          <Checkbox name="hour" label="Ends after one hour, for trying things out" />
          <Group>
            <Button type="submit" loading={create.isPending}>
              Make key
            </Button>
          </Group>
          {create.error !== null && <Failure error={create.error} />}
        </Stack>
      </form>
    </details>
  )
}

const STATES: Readonly<Record<string, string>> = {
  active: "Active",
  replaced: "Replaced, works until it ends",
  expired: "Ended",
  revoked: "Revoked",
}

/** When a key stops working, or did. */
function End({ of }: { readonly of: string | null }): ReactElement {
  return of === null ? <>Never</> : <Moment at={of} />
}

function KeyTable(props: {
  readonly keys: readonly ApiKey[]
  readonly onMade: (made: NewApiKey) => void
}): ReactElement {
  const rotate = useChange(
    async (id: string) => props.onMade(await service.keys.rotate(id)),
    "keys",
  )
  const revoke = useChange((id: string) => service.keys.revoke(id), "keys")
  return (
    <>
      {rotate.error !== null && <Failure error={rotate.error} />}
      <Table label="Keys" columns={["Key", "Label", "May", "State", "Made", "Ends", "Change"]}>
        {props.keys.map((key) => (
          <tr key={key.id}>
            <td>
              <code>{key.hint}</code>
              <br />
              <span className="soft">{key.id}</span>
            </td>
            <td>{key.label}</td>
            <td className="wide">{key.scopes.join(", ")}</td>
            <td>{STATES[key.state] ?? key.state}</td>
            <td>
              <Moment at={key.created_at} />
            </td>
            <td>
              <End of={key.revoked_at ?? key.expires_at} />
            </td>
            <td>
              {(key.state === "active" || key.state === "replaced") && (
                <Group gap="xs">
                  {key.state === "active" && (
                    <Button
                      size="compact-sm"
                      variant="default"
                      title="Makes a key that may do the same. This one goes on working for 24 hours."
                      onClick={() => rotate.mutate(key.id)}
                    >
                      Rotate key
                      <span className="visually-hidden"> {key.id}</span>
                    </Button>
                  )}
                  <ConfirmedButton
                    label="Revoke key"
                    name={key.id}
                    act={() => revoke.mutateAsync(key.id)}
                  >
                    <p>
                      Requests with <code>{key.hint}</code> are refused from the next second on.
                      This cannot be undone.
                    </p>
                  </ConfirmedButton>
                </Group>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </>
  )
}
