import type { DecisionComparison } from "@assay/client"
import { bandOf } from "@assay/core/score"
import { Group, NativeSelect } from "@mantine/core"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { scaleLinear } from "@visx/scale"
import type { ReactElement } from "react"
import { useSearchParams } from "wouter"
import { Gauge } from "../card/gauge.tsx"
import { actionWords, Band, Confidence } from "../ui/band.tsx"
import { reasonWords } from "../ui/reason-words.ts"
import { service } from "../ui/service.ts"
import { Answer } from "../ui/states.tsx"
import { Table } from "../ui/table.tsx"
import { relative } from "../ui/relative.ts"

/**
 * A decision beside what another model or policy makes of the same input. All figures are the
 * service's.
 */
export function Comparison({ id }: { readonly id: string }): ReactElement {
  const [search, setSearch] = useSearchParams()
  const [model, policy] = [search.get("model"), search.get("policy")]
  const comparison = useQuery({
    queryKey: ["decision-comparison", id, model, policy],
    queryFn: ({ signal }) =>
      service.compareDecision(id, {
        signal,
        ...(model !== null && { model }),
        ...(policy !== null && { policy: Number(policy) }),
      }),
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  })
  const versions = useQuery({
    queryKey: ["policy-versions"],
    queryFn: ({ signal }) => service.policy.versions(undefined, { signal }),
  })
  const choose = (name: string, value: string): void =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before)
        if (value === "") next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
  const policies = versions.data?.versions ?? []
  const isListed = policies.some(({ version }) => String(version) === policy)
  return (
    <section aria-label="Comparison" className="comparison">
      <h2>Compared with another model or policy</h2>
      <Group align="flex-end" gap="sm">
        <NativeSelect
          label="Model"
          value={model ?? ""}
          data={[
            { value: "", label: "The one of the policy" },
            ...(comparison.data?.models ?? (model === null ? [] : [model])),
          ]}
          onChange={(event) => choose("model", event.currentTarget.value)}
        />
        <NativeSelect
          label="Policy"
          value={policy ?? ""}
          data={[
            {
              value: "",
              label: model === null ? "The one that acts" : "What was set at the time",
            },
            ...(policy !== null && !isListed
              ? [{ value: policy, label: `Version ${policy}` }]
              : []),
            ...policies.map(({ version, set_at }) => ({
              value: String(version),
              label: `Version ${version}, set ${relative(set_at)}`,
            })),
          ]}
          onChange={(event) => choose("policy", event.currentTarget.value)}
        />
      </Group>
      <Answer of={comparison}>{(answer) => <Both of={answer} />}</Answer>
    </section>
  )
}

function Both({ of }: { readonly of: DecisionComparison }): ReactElement {
  const { recorded, other, summary, notes, contributions } = of
  return (
    <>
      <p role="status">
        <strong>{summary}</strong>
      </p>
      {notes.map((note) => (
        <p key={note} className="soft">
          {note}
        </p>
      ))}
      <div className="compared">
        <Side title="As it was decided" of={recorded} />
        <Side
          title={
            other.policy_version === null
              ? "Under the other model"
              : `Under version ${other.policy_version} of the policy`
          }
          of={other}
        />
      </div>
      {contributions.length > 0 && <Factors of={of} />}
    </>
  )
}

function Side(props: {
  readonly title: string
  readonly of: DecisionComparison["recorded"]
}): ReactElement {
  const { title, of } = props
  const band = bandOf(of.risk_score)
  return (
    <article className="side" aria-label={title}>
      <h3>
        {title}, model {of.model_version}
      </h3>
      <Gauge score={of.risk_score} band={band} />
      <p>
        <Band name={band} />{" "}
        <span className="action-tag">{actionWords(of.recommended_action)}</span>
      </p>
      {of.threat_stage !== undefined && <p>Stage {of.threat_stage}</p>}
      {of.confidence !== undefined && (
        <p>
          <Confidence level={of.confidence} />
        </p>
      )}
    </article>
  )
}

function Factors({ of }: { readonly of: DecisionComparison }): ReactElement {
  const { contributions } = of
  const most = Math.max(1, ...contributions.flatMap((each) => [each.recorded, each.other]))
  return (
    <Table label="Points by factor" columns={["Factor", "#As decided", "#Other"]}>
      {contributions.map(({ code, recorded, other }) => (
        <tr key={code}>
          <td>
            <span className="capital" title={code}>
              {reasonWords(code)}
            </span>
          </td>
          <td className="number">
            {recorded.toFixed(1)}
            <PointsBar points={recorded} most={most} />
          </td>
          <td className="number">
            {other.toFixed(1)}
            <PointsBar points={other} most={most} />
          </td>
        </tr>
      ))}
    </Table>
  )
}

function PointsBar(props: { readonly points: number; readonly most: number }): ReactElement {
  const width = scaleLinear({ domain: [0, props.most], range: [0, 100] })
  return (
    <svg className="points-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect width={Math.max(0, width(props.points))} height={10} fill="var(--accent)" />
    </svg>
  )
}
