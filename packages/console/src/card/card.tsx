import type { EmailRiskResult, PhoneRiskResult } from "@assay/client"
import type { ReactElement } from "react"
import { actionWords, Band, Confidence } from "../ui/band.tsx"
import "./card.css"
import { type Call, Calls } from "./calls.tsx"
import { Coverage } from "./coverage.tsx"
import type { EmailExplained, PhoneExplained } from "./explanation.ts"
import { Gauge } from "./gauge.tsx"
import { SimTimeline } from "./sim-timeline.tsx"
import { Track } from "./track.tsx"
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
  const { result, title, call } = props
  const explained = result.explanation as unknown as EmailExplained
  const { band, stage, summary } = explained
  const held =
    stage.held_by === "none"
      ? null
      : {
          points: stage.held_by === "floor" ? (stage.floor ?? 0) : stage.cap,
          what: `The ${stage.held_by} of the stage ${stage.name} holds the credential points`,
        }
  return (
    <article className="card" aria-label={`Assessment of ${title}`}>
      <div className="card-top">
        <div className="card-score">
          <Gauge score={result.risk_score} band={band} />
          <p>
            <Band name={band} />{" "}
            <span className="action-tag">{actionWords(result.recommended_action)}</span>
          </p>
          <p>
            <Confidence level={result.confidence} />
          </p>
        </div>
        <div className="card-stage">
          <h2>{title}</h2>
          <Track stage={stage} />
          <Reasons of={result.risk_reasons} />
        </div>
      </div>
      <Factors score={result.risk_score} explained={explained} held={held} />
      <div className="grid-2">
        <Coverage coverage={explained.coverage} notes={explained.notes} />
        <Changes
          sentences={
            summary === undefined ? [] : [summary.stage, summary.next_change, summary.not_looked_at]
          }
        />
      </div>
      <Calls answer={result} call={call} />
    </article>
  )
}

/** Why a number scored what it did. */
export function PhoneCard(props: CardProps<Omit<PhoneRiskResult, "phone_number">>): ReactElement {
  const { result, title, call } = props
  const explained = result.explanation as unknown as PhoneExplained
  const { band, summary, policy_floor: floor } = explained
  const held = floor.holds
    ? { points: floor.points, what: "The floor of policy holds the score" }
    : null
  return (
    <article className="card" aria-label={`Assessment of ${title}`}>
      <div className="card-top">
        <div className="card-score">
          <Gauge score={result.risk_score} band={band} />
          <p>
            <Band name={band} />{" "}
            <span className="action-tag">{actionWords(result.recommendation)}</span>
          </p>
          <p className="soft">
            SIM swap risk {result.sim_swap_risk}, ownership confidence {result.ownership_confidence}
          </p>
        </div>
        <div className="card-stage">
          <h2>{title}</h2>
          <SimTimeline evidence={explained.evidence} />
          <Reasons of={result.risk_reasons} />
        </div>
      </div>
      <Factors score={result.risk_score} explained={explained} held={held} />
      <div className="grid-2">
        <Coverage coverage={explained.coverage} notes={explained.notes} />
        <Changes
          sentences={
            summary === undefined ? [] : [summary.level, summary.next_change, summary.not_looked_at]
          }
        />
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
        mitigations={mitigations.terms.map(({ term }) => term)}
        held={props.held}
      />
    </section>
  )
}

function Changes({ sentences }: { readonly sentences: readonly string[] }): ReactElement {
  return (
    <section>
      <h3>What would change it</h3>
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}.</li>
        ))}
      </ul>
    </section>
  )
}
