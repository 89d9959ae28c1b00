import type { OwnTenant, Policy } from "@assay/client"
import { Button, Textarea } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { Link } from "wouter"
import { useChange } from "../ui/change.ts"
import { sending, textIn } from "../ui/form.ts"
import { service } from "../ui/service.ts"
import { Answer, Failure, PageHead } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { planWords } from "../ui/words.ts"

const count = new Intl.NumberFormat()

/** What holds for the tenant, and who changes it. */
export default function Settings(): ReactElement {
  const tenant = useQuery({
    queryKey: ["own-tenant"],
    queryFn: ({ signal }) => service.tenants.own({ signal }),
  })
  const policy = useQuery({
    queryKey: ["policy"],
    queryFn: ({ signal }) => service.policy.get({ signal }),
  })
  return (
    <>
      <PageHead title="Settings" />
      <Answer of={tenant}>
        {(own) => (
          <>
            <section className="panel">
              <h2>Plan</h2>
              <Plan own={own} />
            </section>
            <section className="panel">
              <h2>How long things are kept</h2>
              <Retention own={own} />
            </section>
            <section className="panel">
              <h2>Policy</h2>
              <dl className="facts">
                <dt>Version that acts</dt>
                <dd>
                  {own.policy_version} <Link href="/console/policy">See or change it</Link>
                </dd>
                <dt>Calibration</dt>
                <dd>
                  {own.calibration === null ? (
                    "None of your own: the model as published."
                  ) : (
                    <code>{own.calibration}</code>
                  )}
                </dd>
              </dl>
            </section>
          </>
        )}
      </Answer>
      <section className="panel">
        <h2>Your own mail domains</h2>
        <Answer of={policy}>{(acting) => <Domains key={acting.version} acting={acting} />}</Answer>
      </section>
    </>
  )
}

function Plan({ own }: { readonly own: OwnTenant }): ReactElement {
  const { limits } = own
  const most = (n: number | undefined): string => (n === undefined ? "no limit" : count.format(n))
  return (
    <>
      <p className="soft">
        The tenant <strong>{own.name}</strong> was made <Moment at={own.created_at} />. An
        administrator of the service changes its plan and what that allows.
      </p>
      <dl className="facts">
        <dt>Plan</dt>
        <dd>{planWords(own.plan)}</dd>
        <dt>Requests a second</dt>
        <dd>{most(limits?.requests_per_second)}</dd>
        <dt>Lookups a month</dt>
        <dd>{most(limits?.lookups_per_month)}</dd>
        <dt>Different identities a day</dt>
        <dd>{most(limits?.identities_per_day)}</dd>
        <dt>Streams at once</dt>
        <dd>{most(limits?.streams_at_once)}</dd>
        <dt>Names of sources</dt>
        <dd>{own.named_sources ? "shown" : "not shown"}</dd>
        <dt>Sensitive sources</dt>
        <dd>{own.sensitive_sources ? "act" : "do not act"}</dd>
        <dt>Numbers are sent to carriers and vendors</dt>
        <dd>{own.providers ? "yes" : "no"}</dd>
      </dl>
    </>
  )
}

function Retention({ own }: { readonly own: OwnTenant }): ReactElement {
  const { decision_days: decisions, review_days: reviews, audit_days: audit } = own.retention
  const days = (n: number): string => (n === 0 ? "not kept" : `${count.format(n)} days`)
  return (
    <>
      <p className="soft">It is set for the whole service.</p>
      <dl className="facts">
        <dt>Decisions</dt>
        <dd>{days(decisions)}</dd>
        <dt>Decisions that wait for an analyst</dt>
        <dd>{days(reviews)}</dd>
        <dt>Audit trail</dt>
        <dd>{audit === null ? "for ever" : days(audit)}</dd>
      </dl>
    </>
  )
}

/** Addresses whose domain imitates one of these are after this tenant. */
function Domains({ acting }: { readonly acting: Policy }): ReactElement {
  const domains = (acting.policy["domains"] ?? []) as readonly string[]
  const set = useChange(
    (form: FormData) => {
      const given = textIn(form, "domains")
        .split(/[\s,]+/)
        .filter((domain) => domain !== "")
      const { domains: _before, ...rest } = acting.policy
      const changed = given.length === 0 ? rest : { ...rest, domains: given }
      return service.policy.set(changed, acting.version)
    },
    "policy",
    "policy-history",
    "own-tenant",
  )
  return (
    <form onSubmit={sending(set.mutate)}>
      <Textarea
        name="domains"
        label="Domains, one a line"
        description="An address at a domain that looks like one of these counts as an imitation of yours. Saving makes a new version of the policy."
        defaultValue={domains.join("\n")}
        placeholder="acme.example"
        autosize
        minRows={2}
      />
      <Button type="submit" mt="md" loading={set.isPending}>
        Save domains
      </Button>
      {set.isSuccess && <p role="status">Saved as version {set.data.version}.</p>}
      {set.error !== null && <Failure error={set.error} />}
    </form>
  )
}
