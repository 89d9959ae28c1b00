import { lazy, type ReactElement, Suspense } from "react"
import { Redirect, Route, Switch } from "wouter"
import { Boundary } from "./ui/boundary.tsx"
import { facts } from "./ui/facts.ts"
import { Loading } from "./ui/states.tsx"

const Join = lazy(() => import("./sign-in/join.tsx"))
// Apart, so that a first visit loads nothing of the console.
const SignedIn = lazy(() => import("./signed-in.tsx"))
const SignUp = lazy(() => import("./sign-up/sign-up.tsx"))
const Welcome = lazy(() => import("./playground/welcome.tsx"))

/** Which page stands at an address. */
export function App(): ReactElement {
  return (
    <Boundary>
      <Suspense fallback={<Loading />}>
        <Switch>
          <Route path="/">
            {facts.demoKey === null ? <Redirect to="/console" /> : <Welcome />}
          </Route>
          <Route path="/console/join">
            <Join />
          </Route>
          <Route path="/console/sign-up">
            <SignUp />
          </Route>
          <Route>
            <SignedIn />
          </Route>
        </Switch>
      </Suspense>
    </Boundary>
  )
}
