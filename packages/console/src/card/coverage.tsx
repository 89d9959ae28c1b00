import type { ReactElement } from "react"

const NAMES: Readonly<Record<string, string>> = {
  credential: "Leaked credentials",
  darkweb: "Criminal market signals",
  trust: "The address and its domain",
  bot: "Request context and history",
  number: "Numbering plan",
  sim: "SIM and ports",
  device: "Device",
  network: "Network",
  context: "Use of the number",
}

/** What was consulted, and how much of it. */
export function Coverage(props: {
  readonly coverage: Readonly<Record<string, number>>
  readonly notes: readonly string[]
}): ReactElement {
  const families = Object.entries(props.coverage).filter(([name]) => name !== "value")
  return (
    <section>
      <h3>What was looked at</h3>
      <ul className="coverage">
        {families.map(([name, share]) => (
          <li key={name}>
            <span aria-hidden="true">{share === 1 ? "●" : share === 0 ? "○" : "◐"}</span>{" "}
            {NAMES[name] ?? name}
            <span className="soft">
              {share === 1 ? ", looked at" : share === 0 ? ", not looked at" : ", in part"}
            </span>
          </li>
        ))}
      </ul>
      {props.notes.length > 0 && (
        <details>
          <summary>Notes</summary>
          <ul>
            {props.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}
