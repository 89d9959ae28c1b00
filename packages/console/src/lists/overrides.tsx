import type { DomainOverride } from "@assay/client"
import type { ReactElement } from "react"
import { useChange } from "../ui/change.ts"
import { ConfirmedButton } from "../ui/confirm.tsx"
import { service } from "../ui/service.ts"
import { Table } from "../ui/table.tsx"
import { Moment } from "../ui/time.tsx"

/** Overrides with where they stand and why, each to be removed. */
export function Overrides(props: { readonly overrides: readonly DomainOverride[] }): ReactElement {
  const remove = useChange((id: string) => service.lists.remove(id), "overrides")
  return (
    <div className="roomy">
      <Table
        label="Overrides"
        columns={["Domain", "Says", "Note", "List", "List changed", "Change"]}
      >
        {props.overrides.map(({ id, domain, category, note, list, changed_at: changedAt }) => (
          <tr key={id}>
            <td>{domain}</td>
            <td>{category}</td>
            <td>{note}</td>
            <td>{list}</td>
            <td>
              <Moment at={changedAt} />
            </td>
            <td>
              <ConfirmedButton
                label={`Remove ${domain}`}
                name={domain}
                act={() => remove.mutateAsync(id)}
              >
                <p>
                  <code>{list}</code> no longer says that <code>{domain}</code> is {category}, and
                  other lists decide from the next score on. If the same file is imported again, it
                  is back.
                </p>
              </ConfirmedButton>
            </td>
          </tr>
        ))}
      </Table>
    </div>
  )
}
