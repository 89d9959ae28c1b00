import { Button } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { useChange } from "../ui/change.ts"
import { service } from "../ui/service.ts"
import { Answer, Failure } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { Table } from "../ui/table.tsx"

const METHODS: Readonly<Record<string, string>> = {
  password: "Password",
  totp: "Password and a code",
  recovery: "Password and a recovery code",
  passkey: "Passkey",
  oidc: "Company's account",
}

/** Where the person is signed in. */
export function Sessions(): ReactElement {
  const sessions = useQuery({
    queryKey: ["sessions"],
    queryFn: ({ signal }) => service.account.sessions({ signal }),
  })
  const end = useChange((id: string) => service.account.endSession(id), "sessions")
  const endOthers = useChange(() => service.account.endOtherSessions(), "sessions")
  const failed = end.error ?? endOthers.error
  return (
    <section>
      <h2>Sessions</h2>
      {failed !== null && <Failure error={failed} />}
      <Answer of={sessions}>
        {({ sessions: all }) => (
          <>
            <Table label="Sessions" columns={["Signed in", "By", "Last seen", "Ends", "Change"]}>
              {all.map((session) => (
                <tr key={session.id}>
                  <td>
                    <Moment at={session.signed_in_at} />
                  </td>
                  <td>{METHODS[session.method] ?? session.method}</td>
                  <td>
                    <Moment at={session.seen_at} />
                  </td>
                  <td>
                    <Moment at={session.expires_at} />
                  </td>
                  <td>
                    {session.current ? (
                      "This session"
                    ) : (
                      <Button
                        size="compact-sm"
                        variant="default"
                        onClick={() => end.mutate(session.id)}
                      >
                        End session
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </Table>
            {all.length > 1 && (
              <Button mt="md" variant="default" onClick={() => endOthers.mutate(undefined)}>
                End all other sessions
              </Button>
            )}
          </>
        )}
      </Answer>
    </section>
  )
}
