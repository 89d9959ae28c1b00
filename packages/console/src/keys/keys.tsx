import type { ApiKey, NewApiKey } from "@assay/client"
import { TENANT_SCOPES } from "@assay/core/contract"
import { Button, Checkbox, Group, Stack, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { type ReactElement, useState } from "react"
import { useChange } from "../ui/change.ts"
import { ConfirmedButton } from "../ui/confirm.tsx"
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
      <PageHead title="Keys" />
      {made !== null && (
        <ShownOnce title={`Key ${made.api_key.id}`} text={made.key} what="key">
          <p className="soft">Only its hash is kept, so nobody can show it again.</p>
        </ShownOnce>
      )}
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

function NewKey({ onMade }: { readonly onMade: (made: NewApiKey) => void }): ReactElement {
  const create = useChange(async (form: FormData) => {
    const scopes = form.getAll("scopes") as (typeof TENANT_SCOPES)[number][]
    const forAnHour = form.get("hour") !== null
    onMade(
      await service.keys.create({
        scopes,
        label: textIn(form, "label"),
        ...(forAnHour && { expires_at: new Date(Date.now() + HOUR_MS).toISOString() }),
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
            <Group mt="xs">
              {TENANT_SCOPES.map((scope) => (
                <Checkbox key={scope} name="scopes" value={scope} label={scope} />
              ))}
            </Group>
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
            <td>{key.scopes.join(", ")}</td>
            <td>{key.state}</td>
            <td>
              <Moment at={key.created_at} />
            </td>
            <td>{key.expires_at === null ? "Never" : <Moment at={key.expires_at} />}</td>
            <td>
              {key.state === "active" && (
                <Group gap="xs">
                  <Button size="compact-sm" variant="default" onClick={() => rotate.mutate(key.id)}>
                    Rotate
                    <span className="visually-hidden"> {key.id}</span>
                  </Button>
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
