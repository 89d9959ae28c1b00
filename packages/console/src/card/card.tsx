import type { EmailRiskResult, PhoneRiskResult } from "@assay/client"
import type { ReactElement, ReactNode } from "react"
import { actionWords, Band, Confidence } from "../ui/band.tsx"
import "./card.css"
import { type Call, Calls } from "./calls.tsx"
import { Coverage } from "./coverage.tsx"
import type { EmailExplained, PhoneExplained } from "./explanation.ts"
import { Gauge } from "./gauge.tsx"
import { lineEvents } from "./line-events.ts"
import { SimTimeline } from "./sim-timeline.tsx"
import { Track } from "./track.tsx"
import { mitigationWords } from "./mitigation-words.ts"
import { Waterfall } from "./waterfall.tsx"

interface CardProps<Result> {
  /** An answer; without the identity where only a decision about it is known. */
  readonly result: Result
  /** The identity, or the id of the decision. */
  readonly title: string
  /** The call that gave it; null for a past decision. */
  readonly call: Call | null
}

/** Why an address scored what it did. All figures are the service's own. */
export function EmailCard(props: CardProps<Omit<EmailRiskResult, "email">>): ReactElement {
  const { result } = props
  const explained = result.explanation as unknown as EmailExplained
  const { stage, summary } = explained
  const held =
    stage.held_by === "none"
      ? null
      : {
          points: stage.held_by === "floor" ? (stage.floor ?? 0) : stage.cap,
          what: `The ${stage.held_by} of the stage ${stage.name} holds the credential points`,
        }
  return (
    <Card
      {...props}
      explained={explained}
      action={result.recommended_action}
      held={held}
      beside={<Confidence level={result.confidence} />}
      picture={<Track stage={stage} />}
      sentences={summary && sentencesOf(summary.stage, summary, explained.remedies)}
    />
  )
}

/** Why a number scored what it did. */
export function PhoneCard(props: CardProps<Omit<PhoneRiskResult, "phone_number">>): ReactElement {
  const { result } = props
  const explained = result.explanation as unknown as PhoneExplained
  const { summary, policy_floor: floor } = explained
  return (
    <Card
      {...props}
      explained={explained}
      action={result.recommendation}
      held={
        floor?.holds === true
          ? { points: floor.points, what: "The floor of the policy holds the takeover points" }
          : null
      }
      beside={
        <span className="soft">
          SIM swap risk {result.sim_swap_risk}, ownership confidence {result.ownership_confidence}
        </span>
      }
      picture={<SimTimeline events={lineEvents(explained)} asOf={explained.input.as_of} />}
      sentences={summary && sentencesOf(summary.level, summary, explained.remedies)}
    />
  )
}

interface Parts extends CardProps<{ risk_score: number; risk_reasons: readonly string[] }> {
  readonly explained: EmailExplained | PhoneExplained
  readonly action: string
  /** The floor or cap that holds the score. */
  readonly held: { points: number; what: string } | null
  /** What stands below the score. */
  readonly beside: ReactNode
  readonly picture: ReactNode
  readonly sentences: readonly string[] | undefined
}

function Card(props: Parts): ReactElement {
  const { result, title, call, explained, action, held, beside, picture, sentences = [] } = props
  return (
    <article className="card" aria-label={`Assessment of ${title}`}>
      <div className="card-top">
        <div className="card-score">
          <Gauge score={result.risk_score} band={explained.band} />
          <p className="card-verdict">
            <Band name={explained.band} /> <span className="action-tag">{actionWords(action)}</span>
          </p>
          <p>{beside}</p>
        </div>
        <div className="card-stage">
          <h2>{title}</h2>
          {picture}
          <Reasons of={result.risk_reasons} />
        </div>
      </div>
      <Factors score={result.risk_score} explained={explained} held={held} />
      <div className="grid-2">
        <Coverage coverage={explained.coverage} notes={explained.notes} />
        <Changes sentences={sentences} />
      </div>
      <Calls answer={result} call={call} />
    </article>
  )
}

function Reasons({ of }: { readonly of: readonly string[] }): ReactElement {
  return (
    <ul className="reasons">
      {of.map((reason) => (
        <li key={reason}>{reason}</li>
      ))}
    </ul>
  )
}

function Factors(props: {
  readonly score: number
  readonly explained: EmailExplained | PhoneExplained
  readonly held: { points: number; what: string } | null
}): ReactElement {
  const { band, baseline, contributions, rounding, mitigations } = props.explained
  return (
    <section>
      <h3>How the score adds up</h3>
      <Waterfall
        score={props.score}
        band={band}
        baseline={baseline}
        contributions={contributions}
        rounding={rounding}
        mitigations={mitigations.terms.map(({ term }) => mitigationWords(term))}
        held={props.held}
      />
    </section>
  )
}

function Changes({ sentences }: { readonly sentences: readonly string[] }): ReactElement {
  return (
    <section>
      <h3>What would change it</h3>
      <ul className="reasons">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}.</li>
        ))}
      </ul>
    </section>
  )
}

/** What holds the answer, when that ends, what would end it today, and what nobody looked at. */
function sentencesOf(
  held: string,
  { next_change: next, not_looked_at: unseen }: { next_change: string; not_looked_at: string },
  remedies: EmailExplained["remedies"] = [],
): readonly string[] {
  return [held, next, ...remedies.map(({ text }) => text), unseen]
}
