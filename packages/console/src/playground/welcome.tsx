import type { ReactElement } from "react"
import { Link } from "wouter"
import { facts } from "../ui/facts.ts"
import { demo } from "../ui/service.ts"
import { PageHead } from "../ui/states.tsx"
import { DEMO_IDENTITIES } from "./identities.ts"
import { ScoreForm } from "./score-form.tsx"

/** The first page of the demo: a first score without an account. */
export default function Welcome(): ReactElement {
  if (demo === null) throw new Error("Only the demo has this page")
  return (
    <main className="single">
      <PageHead title="Assay">
        <nav aria-label="Elsewhere" className="welcome-links">
          <a href="/docs">API reference</a>
          {facts.dropPage !== null && <a href={facts.dropPage}>Anonymous drop</a>}
          {facts.hasSignUp && <Link href="/console/sign-up">Sign up</Link>}
          <a href="/console">Console</a>
        </nav>
      </PageHead>
      <p>
        How risky is an e-mail address or a phone number, and why? Everything here is made up;
        nothing you type is stored in a readable form.
      </p>
      <ScoreForm client={demo} apiKey={facts.demoKey} examples={DEMO_IDENTITIES} />
    </main>
  )
}
