import type { WatchItem } from "@assay/client"
import { Button, Group, TextInput } from "@mantine/core"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { type ReactElement, useState } from "react"
import { Link, useSearchParams } from "wouter"
import { Band } from "../ui/band.tsx"
import { useChange } from "../ui/change.ts"
import { ConfirmedButton } from "../ui/confirm.tsx"
import { sending, textIn } from "../ui/form.ts"
import { service, useSession } from "../ui/service.ts"
import { Answer, Empty, PageHead } from "../ui/states.tsx"
import { Table } from "../ui/table.tsx"
import { Moment } from "../ui/time.tsx"
import { subjectWords } from "../ui/words.ts"
import { Add } from "./add.tsx"
import { Domains } from "./domains.tsx"
import { Remove } from "./remove.tsx"

const PAGE = 50
/** An item is first scored about a second after it was added. */
const WAITING_MS = 1_000
/** Proofs are looked for each minute at first. */
const PROVING_MS = 10_000
const count = new Intl.NumberFormat()

/** Whom the tenant wants to hear of. Nobody is named here: items have the tenant's own names. */
export default function WatchListPage(): ReactElement {
  const [search, setSearch] = useSearchParams()
  const isOwner = useSession().data?.roles.includes("owner") === true
  const ref = search.get("ref")
  const before = search.get("before")
  const list = useQuery({
    queryKey: ["watch-list", ref, before],
    queryFn: ({ signal }) =>
      service.watchList.list(
        { limit: PAGE, ...(ref !== null && { ref }), ...(before !== null && { before }) },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => {
      if (data?.items.some(({ risk }) => risk === null) === true) return WAITING_MS
      return data?.domains.some(({ state }) => state === "pending") === true ? PROVING_MS : false
    },
  })
  const to = (changes: Readonly<Record<string, string | null>>): void =>
    setSearch((now) => {
      const next = new URLSearchParams(now)
      for (const [name, value] of Object.entries(changes))
        if (value === null) next.delete(name)
        else next.set(name, value)
      return next
    })
  return (
    <>
      <PageHead title="Watch list" />
      <p>
        Whom you watch is scored again when a file that names them is imported, when evidence,
        feedback or a carrier tells of them, and when time changes their score. A change of stage or
        band is an event, and so is a source that newly holds them. Only keyed hashes of addresses
        and numbers are kept, with your own names of them.
        {isOwner && (
          <>
            {" "}
            <Link href="/console/webhooks">Webhooks</Link> and{" "}
            <Link href="/console/events">the list of events</Link> tell you.
          </>
        )}
      </p>
      {isOwner && (
        <>
          <Add />
          <Remove />
        </>
      )}
      <h2>Watched</h2>
      <Answer of={list}>
        {({ items, domains, total, next }) => (
          <>
            {total > 0 && (
              <>
                <ByName name={ref} seek={(name) => to({ ref: name, before: null })} />
                <p className="soft">
                  {total === 1 ? "1 is watched." : `${count.format(total)} are watched.`}
                </p>
              </>
            )}
            {items.length > 0 && <Items items={items} isOwner={isOwner} />}
            {items.length + domains.length === 0 && (
              <Nothing
                isNarrowed={ref !== null}
                isFirst={before === null}
                isOwner={isOwner}
                all={() => to({ ref: null, before: null })}
              />
            )}
            <Group mt="md" gap="xs">
              {before !== null && (
                <Button variant="default" onClick={() => to({ before: null })}>
                  Newest
                </Button>
              )}
              {next !== null && (
                <Button
                  variant="default"
                  loading={list.isPlaceholderData}
                  onClick={() => to({ before: next })}
                >
                  Older
                </Button>
              )}
            </Group>
            {domains.length > 0 && <Domains domains={domains} isOwner={isOwner} />}
          </>
        )}
      </Answer>
    </>
  )
}

/** Narrows by a name, which stands in the address; an identity that is typed here goes nowhere. */
function ByName(props: {
  readonly name: string | null
  readonly seek: (name: string | null) => void
}): ReactElement {
  const { name: current, seek } = props
  const [isIdentity, setIdentity] = useState(false)
  const send = (form: FormData): void => {
    const name = textIn(form, "name").trim()
    const names = /\S@\S|^\+?[\d ().-]{7,}$/.test(name)
    setIdentity(names)
    if (!names) seek(name === "" ? null : name)
  }
  return (
    <form onSubmit={sending(send)} key={current}>
      <Group align="flex-end" mb="md" gap="xs">
        <TextInput
          name="name"
          label="Your name of it"
          defaultValue={current ?? ""}
          maxLength={128}
          autoComplete="off"
          spellCheck={false}
          error={
            isIdentity ? "Only names can be looked for: addresses and numbers are not kept." : null
          }
        />
        <Button type="submit" variant="default">
          Find
        </Button>
        {current !== null && (
          <Button variant="default" onClick={() => seek(null)}>
            Show all
          </Button>
        )}
      </Group>
    </form>
  )
}

function Nothing(props: {
  readonly isNarrowed: boolean
  readonly isFirst: boolean
  readonly isOwner: boolean
  readonly all: () => void
}): ReactElement {
  const { isNarrowed, isFirst, isOwner, all } = props
  if (isNarrowed)
    return (
      <Empty
        action={
          <Button size="xs" variant="default" onClick={all}>
            Show all
          </Button>
        }
      >
        {isFirst ? "Nothing is watched by this name." : "Nothing older is watched by this name."}
      </Empty>
    )
  if (!isFirst) return <Empty>There is nothing older.</Empty>
  return isOwner ? (
    <Empty>
      Nobody is watched yet. Add your customers&apos; addresses or numbers, or a domain of yours,
      above, and hear within seconds when one turns up in a leak. Programs do it by{" "}
      <a href="/docs">the API</a>.
    </Empty>
  ) : (
    <Empty action={<Link href="/console/members">See who is an owner</Link>}>
      Nobody is watched yet. An owner can add addresses and numbers.
    </Empty>
  )
}

function Items(props: {
  readonly items: readonly WatchItem[]
  readonly isOwner: boolean
}): ReactElement {
  const remove = useChange((ref: string) => service.watchList.remove({ refs: [ref] }), "watch-list")
  const columns = ["Name", "Kind", "Stage", "Band", "#Score", "Since", "Looked at next"]
  return (
    <Table label="Watched" columns={props.isOwner ? [...columns, "Change"] : columns}>
      {props.items.map((item, n) => (
        // Several may share a name.
        <tr key={n}>
          <td className="case">
            {item.ref}
            {item.deliver_identity && (
              <>
                <br />
                <span className="soft">sent with events</span>
              </>
            )}
          </td>
          <td>{subjectWords(item.type)}</td>
          <td>{item.risk?.threat_stage ?? ""}</td>
          <td>
            {item.risk === null ? (
              <span className="soft">Being scored</span>
            ) : (
              <Band name={item.risk.band} />
            )}
          </td>
          <td className="number">{item.risk?.risk_score ?? ""}</td>
          <td>
            <Moment at={item.added_at} />
          </td>
          <td>
            {item.next_change_at === null ? (
              <span className="soft">At once</span>
            ) : (
              <Moment at={item.next_change_at} />
            )}
          </td>
          {props.isOwner && (
            <td>
              <ConfirmedButton
                label="End watching"
                name={item.ref}
                act={() => remove.mutateAsync(item.ref)}
              >
                <p>
                  All that is watched by the name <code>{item.ref}</code> is forgotten, and there
                  are no more events about it. Events that were made stay until they are 30 days
                  old.
                </p>
              </ConfirmedButton>
            </td>
          )}
        </tr>
      ))}
    </Table>
  )
}
