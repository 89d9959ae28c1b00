import { lazy, type ReactElement, Suspense } from "react"
import { Link, Redirect, Route, Switch, useLocation } from "wouter"
import { Frame } from "./frame.tsx"
import { pages, pagesOf } from "./pages.ts"
import { Boundary } from "./ui/boundary.tsx"
import { useSession } from "./ui/service.ts"
import { Answer, Loading, PageHead } from "./ui/states.tsx"

const SignIn = lazy(() => import("./sign-in/sign-in.tsx"))

/** The pages of whoever is signed in, or the page to sign in. */
export default function SignedIn(): ReactElement {
  const session = useSession()
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
                    <NotHere isOfService={details.tenant_id === null} />
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

/** An address of nothing, or of what the person's role does not have. */
function NotHere({ isOfService }: { readonly isOfService: boolean }): ReactElement {
  const isKnown = pages.some(({ path }) => location.pathname.startsWith(path))
  const why = isOfService
    ? "You see to the service itself, and this page is of a tenant. Its owner can invite you."
    : "Your role in this tenant does not have this page. An owner can change your role."
  return (
    <>
      <PageHead title={isKnown ? "Not for your role" : "There is no such page"} />
      <p>{isKnown ? why : "The address may be mistyped, or the page was removed."}</p>
      <p>
        {isKnown && !isOfService && (
          <>
            <Link href="/console/members">See who is an owner</Link>
            {" · "}
          </>
        )}
        <Link href="/console">Go to the first page</Link>
      </p>
    </>
  )
}
