import type { SessionDetails } from "@assay/client"
import { lazy, type ReactElement, Suspense, useEffect } from "react"
import { Link, Redirect, Route, Switch, useLocation } from "wouter"
import { Frame } from "./frame.tsx"
import { isOfRole, type Page, pages, pagesOf } from "./pages.ts"
import { Boundary } from "./ui/boundary.tsx"
import { useSession } from "./ui/service.ts"
import { Answer, Loading, PageHead } from "./ui/states.tsx"
import { endWork } from "./work/work.ts"

const SignIn = lazy(() => import("./sign-in/sign-in.tsx"))

/** The pages of whoever is signed in, or the page to sign in. */
export default function SignedIn(): ReactElement {
  const session = useSession()
  const isOver = session.data === null
  useEffect(() => {
    if (isOver) void endWork()
  }, [isOver])
  const [, , folder] = useLocation()[0].split("/")
  return (
    <Answer of={session}>
      {(details) => {
        if (details === null) return <SignIn />
        const own = pagesOf(details)
        return (
          <Frame session={details} pages={own}>
            <Boundary key={folder}>
              <Suspense fallback={<Loading />}>
                <Switch>
                  {own.map(({ path, view: View }) => (
                    <Route key={path} path={`${path}/*?`}>
                      <View />
                    </Route>
                  ))}
                  <Route path="/console">
                    <Redirect to={own[0]?.path ?? "/console/account"} />
                  </Route>
                  <Route>
                    <NotHere who={details} />
                  </Route>
                </Switch>
              </Suspense>
            </Boundary>
          </Frame>
        )
      }}
    </Answer>
  )
}

/** An address of nothing, or of what the person's role or their plan does not have. */
function NotHere({ who }: { readonly who: SessionDetails }): ReactElement {
  const page = pages.find(({ path }) => location.pathname.startsWith(path))
  const [title, why, next] = notHere(page, who)
  return (
    <>
      <PageHead title={title} />
      <p>{why}</p>
      <p>
        {next}
        {next !== null && " · "}
        <Link href="/console">Go to the first page</Link>
      </p>
    </>
  )
}

function notHere(
  page: Page | undefined,
  who: SessionDetails,
): readonly [title: string, why: string, next: ReactElement | null] {
  if (page === undefined)
    return ["There is no such page", "The address may be mistyped, or the page was removed.", null]
  if (isOfRole(page, who))
    return [
      "Not in your plan",
      "The plan of this tenant does not have this page. An administrator of the service can change the plan.",
      who.roles.includes("owner") ? <Link href="/console/settings">See what it has</Link> : null,
    ]
  if (who.tenant_id === null)
    return [
      "Not for your role",
      "You look after the service itself, and this page belongs to a tenant. Its owner can invite you.",
      null,
    ]
  return [
    "Not for your role",
    "Your role in this tenant does not have this page. An owner can change your role.",
    <Link href="/console/members">See who is an owner</Link>,
  ]
}
