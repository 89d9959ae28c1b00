import type { DomainCheck } from "@assay/client"
import { Button, Group, TextInput } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { sending, textIn } from "../ui/form.ts"
import { service } from "../ui/service.ts"
import { Failure } from "../ui/states.tsx"
import { Table } from "../ui/table.tsx"

/** What all lists say of a domain, and which of them. */
export function Check(): ReactElement {
  const check = useMutation({ mutationFn: (domain: string) => service.lists.check(domain) })
  return (
    <section className="panel">
      <h2>Check a domain</h2>
      <form onSubmit={sending((form) => check.mutate(textIn(form, "checked").trim()))}>
        <Group align="flex-end">
          <TextInput
            name="checked"
            label="Domain to check"
            placeholder="mail.example"
            autoComplete="off"
            spellCheck={false}
            maxLength={253}
            required
          />
          <Button type="submit" variant="default" loading={check.isPending}>
            Check domain
          </Button>
        </Group>
      </form>
      <div aria-live="polite">
        {check.error !== null && <Failure error={check.error} />}
        {check.data !== undefined && <Verdict check={check.data} />}
      </div>
    </section>
  )
}

function Verdict({ check }: { readonly check: DomainCheck }): ReactElement {
  const { domain, verdict, named_by: namings } = check
  return (
    <>
      <p>
        <code>{domain}</code>: <strong>{verdict.join(", ")}</strong>.
        {namings.length === 0 && " No list names it."}
      </p>
      {namings.length > 0 && (
        <div className="roomy">
          <Table label={`Who names ${domain}`} columns={["Whose", "List", "Says", "Names"]}>
            {namings.map(({ lists, list, says, domain: name }) => (
              <tr key={`${lists} ${list} ${says} ${name}`}>
                <td>{lists === "own" ? "yours" : "shipped"}</td>
                <td>{lists === "own" ? <code>{list}</code> : list}</td>
                <td>{says}</td>
                <td>
                  <code>{name}</code>
                </td>
              </tr>
            ))}
          </Table>
        </div>
      )}
    </>
  )
}
