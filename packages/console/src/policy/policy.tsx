import type { Policy, PolicyDocument } from "@assay/client"
import { Button, Checkbox, Group, NumberInput, Stack, Tabs } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { type ReactElement, useState } from "react"
import { useChange } from "../ui/change.ts"
import { service, useSession } from "../ui/service.ts"
import { Answer, Failure, PageHead } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { BackTest } from "./back-test.tsx"
import { History } from "./history.tsx"
import { Shadow } from "./shadow.tsx"

/** What decides about an action: costs and rules of the tenant, tried before they act. */
export default function PolicyPage(): ReactElement {
  const policy = useQuery({
    queryKey: ["policy"],
    queryFn: ({ signal }) => service.policy.get({ signal }),
  })
  return (
    <>
      <PageHead title="Policy" />
      <Answer of={policy}>{(acting) => <Editor key={acting.version} acting={acting} />}</Answer>
    </>
  )
}

/** What outcomes cost, in units of one unnecessary challenge. */
const COSTS: readonly [member: string, label: string][] = [
  ["loss", "A bad actor gets through"],
  ["challenge", "A good user is challenged"],
  ["wrongBlock", "A good user is blocked"],
]

function Editor({ acting }: { readonly acting: Policy }): ReactElement {
  const { data: session } = useSession()
  const [proposed, setProposed] = useState<PolicyDocument>(acting.policy)
  const isOwner = session?.roles.includes("owner") === true
  const mayTry = isOwner || session?.roles.includes("analyst") === true
  const set = useChange(
    () => service.policy.set(proposed, acting.version),
    "policy",
    "policy-history",
  )
  const costs = (proposed["costs"] ?? {}) as Readonly<Record<string, number>>
  const setCost = (member: string, value: number | string): void => {
    const { [member]: _before, ...others } = costs
    const own = typeof value === "number" ? { ...others, [member]: value } : others
    const { costs: _costs, ...rest } = proposed
    setProposed(Object.keys(own).length === 0 ? rest : { ...rest, costs: own })
  }
  const isChanged = JSON.stringify(proposed) !== JSON.stringify(acting.policy)
  return (
    <Stack>
      <p className="soft">
        Version {acting.version}, set <Moment at={acting.set_at} /> by <code>{acting.actor}</code>.
      </p>
      <fieldset className="panel" disabled={!mayTry}>
        <legend>What outcomes cost, in unnecessary challenges</legend>
        <Group align="flex-start">
          {COSTS.map(([member, label]) => (
            <NumberInput
              key={member}
              label={label}
              placeholder="as the model"
              value={costs[member] ?? ""}
              min={0.01}
              max={100_000}
              onChange={(value) => setCost(member, value)}
            />
          ))}
        </Group>
        <Checkbox
          mt="md"
          label="Block only on confirmed evidence; otherwise send to review"
          checked={proposed["confirmed_before_block"] === true}
          onChange={(event) =>
            setProposed({ ...proposed, confirmed_before_block: event.currentTarget.checked })
          }
        />
        <details>
          <summary>The whole policy as JSON</summary>
          <pre className="code">{JSON.stringify(proposed, null, 2)}</pre>
        </details>
      </fieldset>
      {isOwner && (
        <Group>
          <Button
            disabled={!isChanged}
            loading={set.isPending}
            onClick={() => set.mutate(undefined)}
          >
            Let this act
          </Button>
          <Button
            variant="default"
            disabled={!isChanged}
            onClick={() => setProposed(acting.policy)}
          >
            Start again from what acts
          </Button>
        </Group>
      )}
      {set.error !== null && <Failure error={set.error} />}
      <Tabs defaultValue={mayTry ? "back-test" : "history"} keepMounted={false}>
        <Tabs.List aria-label="Trying and looking back">
          {mayTry && <Tabs.Tab value="back-test">Back-test</Tabs.Tab>}
          <Tabs.Tab value="shadow">Shadow</Tabs.Tab>
          <Tabs.Tab value="history">History</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="back-test" pt="md">
          <BackTest proposed={proposed} />
        </Tabs.Panel>
        <Tabs.Panel value="shadow" pt="md">
          <Shadow proposed={proposed} maySet={isOwner} />
        </Tabs.Panel>
        <Tabs.Panel value="history" pt="md">
          <History acting={acting} mayRevert={isOwner} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}
