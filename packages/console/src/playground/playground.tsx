import type { ReactElement } from "react"
import { facts } from "../ui/facts.ts"
import { service } from "../ui/service.ts"
import { PageHead } from "../ui/states.tsx"
import { useHanded } from "./handed.ts"
import { DEMO_IDENTITIES } from "./identities.ts"
import { ScoreForm } from "./score-form.tsx"

/** Scoring by hand, as whoever is signed in. */
export default function Playground(): ReactElement {
  const handed = useHanded()
  return (
    <>
      <PageHead title="Playground" />
      <ScoreForm
        client={service}
        apiKey={null}
        handed={handed}
        examples={facts.demoKey === null ? [] : DEMO_IDENTITIES}
      />
    </>
  )
}
