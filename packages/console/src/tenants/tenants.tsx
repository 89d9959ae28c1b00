import type { Tenant } from "@assay/client"
import { Button, Group, NativeSelect, TextInput } from "@mantine/core"
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { type ReactElement, useState } from "react"
import { Link } from "wouter"
import { useChange } from "../ui/change.ts"
import { ConfirmedButton } from "../ui/confirm.tsx"
import { sending, textIn } from "../ui/form.ts"
import { ShownOnce } from "../ui/secret.tsx"
import { service } from "../ui/service.ts"
import { Answer, Empty, Failure, Loading, PageHead } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { Table } from "../ui/table.tsx"
import { planWords } from "../ui/words.ts"

const PLANS: readonly Tenant["plan"][] = ["free", "enterprise"]
const purposeWords = (purpose: string): string => purpose.replaceAll("-", " ")
const choices = PLANS.map((value) => ({ value, label: planWords(value) }))
const planIn = (text: string): Tenant["plan"] => (text === "enterprise" ? "enterprise" : "free")

/** Tenants of the service and sign-ups that wait, for its administrators. */
export default function Tenants(): ReactElement {
  const tenants = useInfiniteQuery({
    queryKey: ["tenants"],
    queryFn: ({ signal, pageParam }) => service.tenants.list(pageParam ?? undefined, { signal }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  })
  const all = tenants.data?.pages.flatMap((page) => page.tenants) ?? []
  return (
    <>
      <PageHead title="Tenants" />
      <SignUps />
      <NewTenant />
      {tenants.error !== null && (
        <Failure error={tenants.error} retry={() => void tenants.refetch()} />
      )}
      {tenants.isPending && <Loading />}
      {all.length > 0 && <TenantTable tenants={all} />}
      {tenants.hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void tenants.fetchNextPage()}>
          Show more tenants
        </Button>
      )}
    </>
  )
}

function NewTenant(): ReactElement {
  const create = useChange(
    (form: FormData) =>
      service.tenants.create({ name: textIn(form, "name"), plan: planIn(textIn(form, "plan")) }),
    "tenants",
  )
  return (
    <form className="panel" onSubmit={sending(create.mutate)}>
      <h2>Make a tenant</h2>
      <Group align="flex-end">
        <TextInput name="name" label="Name of a new tenant" required maxLength={100} />
        <NativeSelect name="plan" label="Plan" data={choices} />
        <Button type="submit" loading={create.isPending}>
          Make tenant
        </Button>
      </Group>
      {create.error !== null && <Failure error={create.error} />}
    </form>
  )
}

function TenantTable({ tenants }: { readonly tenants: readonly Tenant[] }): ReactElement {
  const change = useChange(
    ({ id, plan }: { id: number; plan: Tenant["plan"] }) => service.tenants.changePlan(id, plan),
    "tenants",
  )
  return (
    <>
      {change.error !== null && <Failure error={change.error} />}
      <Table label="Tenants" columns={["#No.", "Name", "Plan", "Made"]}>
        {tenants.map(({ id, name, plan, created_at: madeAt }) => (
          <tr key={id}>
            <td className="number">{id}</td>
            <td>{name}</td>
            <td>
              <NativeSelect
                aria-label={`Plan of ${name}`}
                value={plan}
                data={choices}
                onChange={(event) => change.mutate({ id, plan: planIn(event.currentTarget.value) })}
              />
            </td>
            <td>
              <Moment at={madeAt} />
            </td>
          </tr>
        ))}
      </Table>
    </>
  )
}

function SignUps(): ReactElement {
  const waiting = useQuery({
    queryKey: ["sign-ups"],
    queryFn: ({ signal }) => service.tenants.signUps({ signal }),
  })
  const [token, setToken] = useState<string | null>(null)
  const approve = useChange(
    async (id: string) => setToken((await service.tenants.approve(id)).token),
    "sign-ups",
    "tenants",
  )
  const refuse = useChange((id: string) => service.tenants.refuse(id), "sign-ups")
  const failed = approve.error
  return (
    <section className="panel">
      <h2>Sign-ups that wait</h2>
      {token !== null && (
        <ShownOnce title="Approved" text={token} what="token">
          <p>Hand it to whoever signed up: it gives them their key, once, within seven days.</p>
        </ShownOnce>
      )}
      {failed !== null && <Failure error={failed} />}
      <Answer of={waiting}>
        {({ signups }) =>
          signups.length === 0 ? (
            <Empty>
              Nobody waits. With <code>ASSAY_SIGNUP=approved</code> strangers who{" "}
              <Link href="/console/sign-up">sign up</Link> come here first.
            </Empty>
          ) : (
            <ul>
              {signups.map(({ id, at, organisation, email, purposes }) => (
                <li key={id}>
                  <strong>{organisation}</strong> ({email}), <Moment at={at} />, for{" "}
                  {purposes.map(purposeWords).join(", ")}{" "}
                  <Button size="compact-sm" onClick={() => approve.mutate(id)}>
                    Approve {organisation}
                  </Button>{" "}
                  <ConfirmedButton
                    label={`Refuse ${organisation}`}
                    name={organisation}
                    act={() => refuse.mutateAsync(id)}
                  >
                    <p>The sign-up is deleted, and nobody is told. They can sign up again.</p>
                  </ConfirmedButton>
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </section>
  )
}
