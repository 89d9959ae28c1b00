import {
  type Client,
  type EmailRiskResult,
  type Explained,
  type PhoneRiskResult,
} from "@assay/client"
import { Button, TextInput } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { type SubmitEvent, type ReactElement, useEffect, useState } from "react"
import { EmailCard, PhoneCard } from "../card/card.tsx"
import { asTyped, isNumber } from "../ui/identity.ts"
import { Failure } from "../ui/states.tsx"
import { handOver } from "./handed.ts"
import "./playground.css"

type Scored =
  | { readonly kind: "email"; readonly result: Explained<EmailRiskResult> }
  | { readonly kind: "phone"; readonly result: Explained<PhoneRiskResult> }

/**
 * One field for an address or a number, and the card of what it scored. Neither is ever in a URL.
 */
export function ScoreForm(props: {
  readonly client: Client
  readonly apiKey: string | null
  /** What was typed elsewhere, to be scored at once; null: nothing. */
  readonly handed?: string | null
  readonly examples: readonly (readonly [identity: string, shows: string])[]
}): ReactElement {
  const { client, apiKey, handed = null, examples } = props
  const [identity, setIdentity] = useState("")
  const score = useMutation({
    mutationFn: async (asked: string): Promise<Scored> =>
      isNumber(asked)
        ? { kind: "phone", result: await client.scorePhone(asked, { explain: true }) }
        : { kind: "email", result: await client.scoreEmail(asked, { explain: true }) },
  })
  const send = (asked: string): void => {
    setIdentity(asked)
    score.mutate(asTyped(asked))
  }
  const { mutate } = score
  useEffect(() => {
    if (handed === null) return
    setIdentity(handed)
    mutate(asTyped(handed))
    handOver(null)
  }, [handed, mutate])
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (identity.trim() !== "") send(identity)
  }
  return (
    <>
      <form onSubmit={submit} className="score-form">
        <TextInput
          label="Address or number"
          description="A number begins with a plus sign and the code of its country."
          placeholder="name@mail.example"
          value={identity}
          onChange={(event) => setIdentity(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          size="md"
        />
        <Button type="submit" size="md" loading={score.isPending}>
          Score
        </Button>
      </form>
      {examples.length > 0 && (
        <ul className="examples" aria-label="Made-up identities to try">
          {examples.map(([each, shows]) => (
            <li key={each}>
              <button type="button" onClick={() => send(each)}>
                <span>{each}</span> <span className="soft">{shows}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div aria-live="polite">
        {score.error !== null && <Failure error={score.error} />}
        {score.data?.kind === "email" && (
          <EmailCard
            result={score.data.result}
            title={score.data.result.email}
            call={{ path: "/api/v1/risk/score", body: { email: score.data.result.email }, apiKey }}
          />
        )}
        {score.data?.kind === "phone" && (
          <PhoneCard
            result={score.data.result}
            title={score.data.result.phone_number}
            call={{
              path: "/api/v1/phone-risk",
              body: { phone_number: score.data.result.phone_number },
              apiKey,
            }}
          />
        )}
      </div>
    </>
  )
}
