import type { MemberList, NewInvitationLink, SessionDetails } from "@assay/client"
import { SERVICE_ROLES, TENANT_ROLES } from "@assay/core/contract"
import { Button, Group, NativeSelect } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { type ReactElement, useState } from "react"
import { useChange } from "../ui/change.ts"
import { ConfirmedButton } from "../ui/confirm.tsx"
import { sending, textIn } from "../ui/form.ts"
import { ShownOnce } from "../ui/secret.tsx"
import { service, useSession } from "../ui/service.ts"
import { Answer, Failure, PageHead } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { Table } from "../ui/table.tsx"
import { roleChoices, roleWords } from "../ui/words.ts"

/** Who belongs to the tenant, or to the service, and who is invited. */
export default function Members(): ReactElement {
  const session = useSession()
  const members = useQuery({
    queryKey: ["members"],
    queryFn: ({ signal }) => service.members.list({ signal }),
  })
  return (
    <>
      <PageHead title="Members" />
      <Answer of={session}>
        {(who) =>
          who !== null && (
            <>
              {mayManage(who) && <Invite roles={rolesIn(who)} />}
              <Answer of={members}>{(list) => <Lists list={list} who={who} />}</Answer>
            </>
          )
        }
      </Answer>
    </>
  )
}

const rolesIn = ({ tenant_id: tenant }: SessionDetails): readonly string[] =>
  tenant === null ? SERVICE_ROLES : TENANT_ROLES

const mayManage = ({ tenant_id: tenant, roles }: SessionDetails): boolean =>
  roles.includes(tenant === null ? "administrator" : "owner")

function Invite({ roles }: { readonly roles: readonly string[] }): ReactElement {
  const [made, setMade] = useState<NewInvitationLink | null>(null)
  const invite = useChange(
    async (form: FormData) => setMade(await service.members.invite(textIn(form, "role"))),
    "members",
  )
  return (
    <>
      {made !== null && (
        <ShownOnce title="Invitation" text={made.link} what="link">
          <p>
            Whoever opens it first joins by it. Good once, until <Moment at={made.expires_at} />.
          </p>
        </ShownOnce>
      )}
      <form onSubmit={sending(invite.mutate)}>
        <Group align="flex-end" mb="md">
          <NativeSelect
            name="role"
            label="Invite somebody as"
            data={roleChoices(roles.toReversed())}
          />
          <Button type="submit" loading={invite.isPending}>
            Make an invitation
          </Button>
        </Group>
      </form>
      {invite.error !== null && <Failure error={invite.error} />}
    </>
  )
}

function Lists(props: { readonly list: MemberList; readonly who: SessionDetails }): ReactElement {
  const { list, who } = props
  const setRole = useChange(
    ({ id, role }: { id: string; role: string }) => service.members.setRole(id, role),
    "members",
  )
  const remove = useChange((id: string) => service.members.remove(id), "members")
  const end = useChange((id: string) => service.members.endInvitation(id), "members")
  const failed = setRole.error ?? remove.error ?? end.error
  const manages = mayManage(who)
  return (
    <>
      {failed !== null && <Failure error={failed} />}
      <Table
        label="Members"
        columns={["Name", "Address", "Role", "Since", ...(manages ? ["Change"] : [])]}
      >
        {list.members.map(({ person_id: id, name, email, roles, since }) => (
          <tr key={id}>
            <td>
              {name}
              {id === who.person_id && <span className="soft"> (you)</span>}
            </td>
            <td>{email}</td>
            <td>
              {/* Who gives up a role cannot take it back, so another does it. */}
              {manages && id !== who.person_id && roles.length === 1 ? (
                <NativeSelect
                  aria-label={`Role of ${name}`}
                  value={roles[0] ?? ""}
                  data={roleChoices(rolesIn(who))}
                  onChange={(event) => setRole.mutate({ id, role: event.currentTarget.value })}
                />
              ) : (
                roles.map(roleWords).join(", ")
              )}
            </td>
            <td>
              <Moment at={since} />
            </td>
            {manages && (
              <td>
                <ConfirmedButton
                  label={id === who.person_id ? "Leave" : "Remove member"}
                  name={name}
                  act={() => remove.mutateAsync(id)}
                >
                  <p>
                    {name} is signed out and sees nothing of {who.tenant ?? "the service"} from then
                    on. To bring them back, invite them again.
                  </p>
                </ConfirmedButton>
              </td>
            )}
          </tr>
        ))}
      </Table>
      {list.invitations.length > 0 && (
        <>
          <h2>Open invitations</h2>
          <ul>
            {list.invitations.map(({ id, role, expires_at: expiresAt }) => (
              <li key={id}>
                {roleWords(role)}, until <Moment at={expiresAt} />{" "}
                {manages && (
                  <Button size="compact-xs" variant="default" onClick={() => end.mutate(id)}>
                    End invitation
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}
