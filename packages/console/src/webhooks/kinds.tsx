import type { EventKind } from "@assay/client"
import { Checkbox } from "@mantine/core"
import type { ReactElement } from "react"
import { EVENT_PAGES, eventWords, kindsOf } from "../ui/event-words.ts"
import { useSession } from "../ui/service.ts"

/** Nobody needs to ask for tests: whoever tests a webhook gets one. */
const NOT_ASKED_FOR: EventKind = "webhook.test"

/** Kinds of events to choose from, each with what it says. The form has them as `events`. */
export function Kinds({ chosen }: { readonly chosen: readonly EventKind[] }): ReactElement {
  const { data: session } = useSession()
  const kinds = kindsOf(session?.tenant_id ?? null).filter(
    (kind) => kind !== NOT_ASKED_FOR || chosen.includes(kind),
  )
  return (
    <Checkbox.Group label="Which events it gets" defaultValue={[...chosen]}>
      <div className="event-kinds">
        {kinds.map((kind) => (
          <Checkbox
            key={kind}
            name="events"
            value={kind}
            label={kind}
            description={eventWords(kind)}
          />
        ))}
      </div>
      <p className="soft">
        <a href={EVENT_PAGES} target="_blank" rel="noreferrer">
          What each event says
        </a>
      </p>
    </Checkbox.Group>
  )
}

/** The kinds that are chosen in a form. */
export const kindsIn = (form: FormData): EventKind[] => form.getAll("events") as EventKind[]
