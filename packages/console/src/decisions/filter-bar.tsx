import { Button, NativeSelect, TextInput } from "@mantine/core"
import type { ReactElement } from "react"
import { sending, textIn } from "../ui/form.ts"
import { chipsOf, REQUEST, REQUEST_ID, SELECTS } from "./filter.ts"

interface FilterBarProps {
  readonly filter: Readonly<Record<string, string>>
  /** Sets one parameter of the address, or takes it out with an empty text. */
  readonly change: (name: string, value: string) => void
  readonly clear: () => void
  /** Whom the list is about; null: anybody. */
  readonly sought: string | null
  readonly seek: (identity: string | null) => void
}

/** What the list is narrowed by, and each of it to be taken back. */
export function FilterBar(props: FilterBarProps): ReactElement {
  const { filter, change, clear, sought, seek } = props
  const chips = chipsOf(filter)
  return (
    <div className="decision-filters">
      <div className="filter-fields">
        {SELECTS.map(({ name, label, choices }) => (
          <NativeSelect
            key={name}
            label={label}
            value={filter[name] ?? ""}
            data={[{ value: "", label: "Any" }, ...choices]}
            onChange={(event) => change(name, event.currentTarget.value)}
          />
        ))}
        <TextInput
          type="date"
          label="From (UTC)"
          value={filter["from"] ?? ""}
          max={filter["until"]}
          onChange={(event) => change("from", event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label="To (UTC)"
          value={filter["until"] ?? ""}
          min={filter["from"]}
          onChange={(event) => change("until", event.currentTarget.value)}
        />
        <form
          onSubmit={sending((form) => {
            const typed = textIn(form, "identity").trim()
            seek(typed === "" ? null : typed)
          })}
        >
          <TextInput
            name="identity"
            label="Address or number"
            placeholder="name@host or +number"
            autoComplete="off"
            spellCheck={false}
            key={sought ?? ""}
            defaultValue={sought ?? ""}
          />
          <Button type="submit" variant="default">
            Find
          </Button>
        </form>
        <form onSubmit={sending((form) => change(REQUEST, textIn(form, REQUEST).trim()))}>
          <TextInput
            name={REQUEST}
            label="Request"
            placeholder="X-Request-Id"
            title="As X-Request-Id has it: letters, digits and _.:-"
            pattern={`\\s*${REQUEST_ID.source.slice(1, -1)}\\s*`}
            autoComplete="off"
            spellCheck={false}
            key={filter[REQUEST] ?? ""}
            defaultValue={filter[REQUEST] ?? ""}
          />
          <Button type="submit" variant="default">
            Find request
          </Button>
        </form>
      </div>
      {(chips.length > 0 || sought !== null) && (
        <ul className="chips" aria-label="Filters">
          {sought !== null && (
            <li>
              <Button size="compact-sm" variant="default" onClick={() => seek(null)}>
                About {sought} <Cross />
              </Button>
            </li>
          )}
          {chips.map(({ name, label }) => (
            <li key={name}>
              <Button size="compact-sm" variant="default" onClick={() => change(name, "")}>
                {label} <Cross />
              </Button>
            </li>
          ))}
          <li>
            <Button size="compact-sm" variant="subtle" onClick={clear}>
              Clear all
            </Button>
          </li>
        </ul>
      )}
    </div>
  )
}

function Cross(): ReactElement {
  return (
    <>
      <span aria-hidden="true">&nbsp;×</span>
      <span className="visually-hidden">, take this filter away</span>
    </>
  )
}
