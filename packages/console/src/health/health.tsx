import type { ServiceHealth } from "@assay/client"
import { useQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { service } from "../ui/service.ts"
import { Answer, PageHead } from "../ui/states.tsx"
import { Table } from "../ui/table.tsx"
import { Moment } from "../ui/time.tsx"

/** What the service knows of its own state, for administrators. */
export default function Health(): ReactElement {
  const health = useQuery({
    queryKey: ["health"],
    queryFn: ({ signal }) => service.service.health({ signal }),
    refetchInterval: 30_000,
  })
  return (
    <>
      <PageHead title="Health" />
      <Answer of={health}>
        {(found) => (
          <>
            <section className="panel roomy">
              <h2>What was found</h2>
              <Findings findings={found.findings} />
            </section>
            <section className="panel">
              <h2>The program</h2>
              <dl className="facts">
                <dt>Version</dt>
                <dd>{found.version}</dd>
                <dt>Workers</dt>
                <dd>{found.workers}</dd>
                <dt>This worker started</dt>
                <dd>
                  <Moment at={found.started_at} />
                </dd>
                {found.models.map(({ name, versions }) => (
                  <ModelFact key={name} name={name} versions={versions} />
                ))}
              </dl>
            </section>
            <section className="panel roomy">
              <h2>Settings in effect</h2>
              <p className="soft">
                They are read from the environment at the start. Secrets are not shown.
              </p>
              <Settings settings={found.settings.filter(({ source }) => source !== "default")} />
              <details>
                <summary>Settings left at their defaults</summary>
                <Settings settings={found.settings.filter(({ source }) => source === "default")} />
              </details>
            </section>
          </>
        )}
      </Answer>
    </>
  )
}

const STATES = {
  ok: ["low", "●", "Sound"],
  warning: ["elevated", "▲", "Warning"],
  fault: ["critical", "■", "Fault"],
} as const

function Findings({ findings }: Pick<ServiceHealth, "findings">): ReactElement {
  return (
    <Table label="What was found" columns={["Of", "State", "What", "What to do"]}>
      {findings.map(({ name, state, detail, remedy }) => {
        const [band, shape, word] = STATES[state]
        return (
          <tr key={name}>
            <td>
              <span className="capital">{name}</span>
            </td>
            <td>
              <span className="band" data-band={band}>
                <span aria-hidden="true">{shape}</span> {word}
              </span>
            </td>
            <td className="wide">{detail}</td>
            <td className="wide">{remedy ?? "Nothing."}</td>
          </tr>
        )
      })}
    </Table>
  )
}

function ModelFact(props: {
  readonly name: string
  readonly versions: readonly string[]
}): ReactElement {
  return (
    <>
      <dt>Models of {props.name === "email" ? "addresses" : "numbers"}</dt>
      <dd>{props.versions.join(", ")}</dd>
    </>
  )
}

const LABELS = {
  default: "Settings at their defaults",
  environment: "Settings that were given",
  file: "Settings that were given",
}

function Settings({ settings }: Pick<ServiceHealth, "settings">): ReactElement {
  return (
    <Table
      label={LABELS[settings[0]?.source ?? "default"]}
      columns={["Name", "Value", "From", "Meaning"]}
    >
      {settings.map(({ name, value, source, meaning }) => (
        <tr key={name}>
          <td>
            <code>{name}</code>
          </td>
          <td>{value === "" ? <span className="soft">none</span> : <code>{value}</code>}</td>
          <td>{source}</td>
          <td className="wide">{meaning}</td>
        </tr>
      ))}
    </Table>
  )
}
