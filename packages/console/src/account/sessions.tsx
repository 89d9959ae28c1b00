import { Button } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { useChange } from "../ui/change.ts"
import { service } from "../ui/service.ts"
import { Answer, Failure } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"

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
            <div className="table-wrap" tabIndex={0} role="region" aria-label="Sessions">
              <table>
                <thead>
                  <tr>
                    <th>Signed in</th>
                    <th>By</th>
                    <th>Last seen</th>
                    <th>Ends</th>
                    <th>Change</th>
                  </tr>
                </thead>
                <tbody>
                  {all.map((session) => (
                    <tr key={session.id}>
                      <td>
                        <Moment at={session.signed_in_at} />
                      </td>
                      <td>{session.method}</td>
                      <td>
                        <Moment at={session.seen_at} />
                      </td>
                      <td>
                        <Moment at={session.expires_at} />
                      </td>
                      <td>
                        {session.current ? (
                          "This one"
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
                </tbody>
              </table>
            </div>
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
