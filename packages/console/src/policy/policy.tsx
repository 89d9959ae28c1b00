import type { Policy, PolicyDocument } from "@assay/client"
import { Button, Checkbox, Group, Stack, Tabs } from "@mantine/core"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { useSearchParams } from "wouter"
import { Actor } from "../ui/actor.tsx"
import { useChange } from "../ui/change.ts"
import { service, useSession } from "../ui/service.ts"
import { Answer, Failure, PageHead } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { BackTest } from "./back-test.tsx"
import { CostCurve } from "./cost-curve.tsx"
import { Costs } from "./costs.tsx"
import { History } from "./history.tsx"
import "./policy.css"
import { costsOf, isConfirmedFirst, useProposal, withConfirmedFirst, withCost } from "./proposal.ts"
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

/** What a policy would make of each score; the picture before it stays until it is known. */
function usePreview(policy: PolicyDocument) {
  return useQuery({
    queryKey: ["policy-preview", policy],
    queryFn: ({ signal }) => service.policy.preview(policy, { signal }),
    placeholderData: keepPreviousData,
  })
}

function Editor({ acting }: { readonly acting: Policy }): ReactElement {
  const { data: session } = useSession()
  const { proposed, rested, propose, isChanged } = useProposal(acting)
  const preview = usePreview(rested)
  const isOwner = session?.roles.includes("owner") === true
  const mayTry = isOwner || session?.roles.includes("analyst") === true
  const set = useChange(
    () => service.policy.set(proposed, acting.version),
    "policy",
    "policy-history",
  )
  return (
    <Stack>
      <p className="soft">
        Version {acting.version}, set <Moment at={acting.set_at} /> by <Actor of={acting.actor} />.
      </p>
      <fieldset className="panel" disabled={!mayTry}>
        <legend>What outcomes cost, in unnecessary challenges</legend>
        <Costs
          costs={costsOf(proposed)}
          acting={preview.data?.email.costs ?? null}
          isDisabled={!mayTry}
          set={(name, value) => propose(withCost(proposed, name, value))}
        />
        <Checkbox
          mt="md"
          label="Block only on confirmed evidence; otherwise send to review"
          checked={isConfirmedFirst(proposed)}
          onChange={(event) => propose(withConfirmedFirst(proposed, event.currentTarget.checked))}
        />
        <details>
          <summary>The whole policy as JSON</summary>
          <pre className="code">{JSON.stringify(proposed, null, 2)}</pre>
        </details>
      </fieldset>
      <Answer of={preview}>{() => <Curves acting={acting.policy} proposed={rested} />}</Answer>
      {isOwner && (
        <Group>
          <Button
            disabled={!isChanged}
            loading={set.isPending}
            onClick={() => set.mutate(undefined)}
          >
            Let the proposed policy act
          </Button>
          <Button variant="default" disabled={!isChanged} onClick={() => propose(acting.policy)}>
            Discard the proposal
          </Button>
        </Group>
      )}
      {set.error !== null && <Failure error={set.error} />}
      <Tries {...{ acting, proposed, propose, mayTry, isOwner }} />
    </Stack>
  )
}

/** The expected costs of the proposal; one picture where both models weigh alike. */
function Curves(props: {
  readonly acting: PolicyDocument
  readonly proposed: PolicyDocument
}): ReactElement | null {
  const after = usePreview(props.proposed)
  const before = usePreview(props.acting)
  if (after.data === undefined) return null
  const { email, phone } = after.data
  const areAlike = JSON.stringify(email.curve) === JSON.stringify(phone.curve)
  return (
    <section className="panel" aria-label="Expected costs over the score">
      <CostCurve
        title={areAlike ? "Addresses and numbers" : "Addresses"}
        curve={email}
        before={before.data?.email.edges ?? null}
      />
      {!areAlike && (
        <CostCurve title="Numbers" curve={phone} before={before.data?.phone.edges ?? null} />
      )}
    </section>
  )
}

const TABS = ["back-test", "shadow", "history"]

function Tries(props: {
  readonly acting: Policy
  readonly proposed: PolicyDocument
  readonly propose: (policy: PolicyDocument) => void
  readonly mayTry: boolean
  readonly isOwner: boolean
}): ReactElement {
  const { acting, proposed, propose, mayTry, isOwner } = props
  const [search, setSearch] = useSearchParams()
  const usual = mayTry ? "back-test" : "history"
  const asked = search.get("tab") ?? usual
  const tab = TABS.includes(asked) && (mayTry || asked !== "back-test") ? asked : usual
  const show = (chosen: string | null): void =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before)
        next.set("tab", chosen ?? usual)
        return next
      },
      { replace: true },
    )
  return (
    <Tabs value={tab} onChange={show} keepMounted={false}>
      <Tabs.List aria-label="Trying and looking back">
        {mayTry && <Tabs.Tab value="back-test">Back-test</Tabs.Tab>}
        <Tabs.Tab value="shadow">Shadow</Tabs.Tab>
        <Tabs.Tab value="history">History</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="back-test" pt="md">
        <BackTest proposed={proposed} propose={propose} />
      </Tabs.Panel>
      <Tabs.Panel value="shadow" pt="md">
        <Shadow proposed={proposed} maySet={isOwner} />
      </Tabs.Panel>
      <Tabs.Panel value="history" pt="md">
        <History acting={acting} mayRevert={isOwner} />
      </Tabs.Panel>
    </Tabs>
  )
}
