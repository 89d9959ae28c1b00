import type { WatchedDomain } from "@assay/client"
import type { ReactElement } from "react"
import { useChange } from "../ui/change.ts"
import { ConfirmedButton } from "../ui/confirm.tsx"
import { Copy } from "../ui/copy.tsx"
import { service } from "../ui/service.ts"
import { Table } from "../ui/table.tsx"
import { Moment } from "../ui/time.tsx"

/** Whole domains, each with what proves that it is the tenant's. */
export function Domains(props: {
  readonly domains: readonly WatchedDomain[]
  readonly isOwner: boolean
}): ReactElement {
  const { domains, isOwner } = props
  const remove = useChange(
    (domain: string) => service.watchList.remove({ domains: [domain] }),
    "watch-list",
  )
  const columns = ["Domain", "Name", "Proof", "Since"]
  return (
    <>
      <h2>Domains</h2>
      <p>
        A source that newly holds addresses of a domain is an event with their count, once it is
        proved that the domain is yours. The proof is looked for each minute at first, and once a
        day from then on: leave it in place.
      </p>
      <Table label="Domains" columns={isOwner ? [...columns, "Change"] : columns}>
        {domains.map((watched) => (
          <tr key={watched.domain}>
            <td>{watched.domain}</td>
            <td className="case">{watched.ref}</td>
            <td>
              <Proof of={watched} />
            </td>
            <td>
              <Moment at={watched.added_at} />
            </td>
            {isOwner && (
              <td>
                <ConfirmedButton
                  label="End watching"
                  name={watched.domain}
                  act={() => remove.mutateAsync(watched.domain)}
                >
                  <p>
                    There are no more events about <code>{watched.domain}</code>. Those that were
                    made stay until they are 30 days old.
                  </p>
                </ConfirmedButton>
              </td>
            )}
          </tr>
        ))}
      </Table>
    </>
  )
}

function Proof({ of }: { readonly of: WatchedDomain }): ReactElement {
  const { state, proof, proved_at: provedAt, dns, file } = of
  if (state === "proved" && provedAt !== null)
    return (
      <>
        {proof === "dns" ? "By its DNS record" : "By its file"}, last found <Moment at={provedAt} />
      </>
    )
  return (
    <details>
      <summary>{provedAt === null ? "Not proved yet" : "No longer found"}</summary>
      {dns !== null && (
        <p>
          A TXT record <code>{dns.name}</code> <Copy text={dns.name} what="name of the record" />{" "}
          that says <code>{dns.value}</code> <Copy text={dns.value} what="value of the record" />
        </p>
      )}
      <p>
        {dns === null ? "A file at " : "Or a file at "}
        <code>{file.url}</code> that holds <code>{file.content}</code>{" "}
        <Copy text={file.content} what="content of the file" />
      </p>
    </details>
  )
}
