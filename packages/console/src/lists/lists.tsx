import { Alert, Button, Group, NativeSelect, TextInput } from "@mantine/core"
import { type InfiniteData, useInfiniteQuery } from "@tanstack/react-query"
import type { DomainOverrideList } from "@assay/client"
import type { ReactElement } from "react"
import { useSearchParams } from "wouter"
import { useChange } from "../ui/change.ts"
import { textIn } from "../ui/form.ts"
import { service } from "../ui/service.ts"
import { Empty, Failure, Loading, PageHead } from "../ui/states.tsx"
import { CATEGORIES, type Category, choices, isCategory } from "./categories.ts"
import { Check } from "./check.tsx"
import { Overrides } from "./overrides.tsx"

const PAGE = "50"
const count = new Intl.NumberFormat()

/** What the operator says of mail domains, where it stands, and what follows for a domain. */
export default function Lists(): ReactElement {
  const [search, setSearch] = useSearchParams()
  const list = search.get("list") ?? ""
  const asked = search.get("category") ?? ""
  const category = isCategory(asked) ? asked : null
  const pages = useInfiniteQuery({
    queryKey: ["overrides", list, category],
    queryFn: ({ signal, pageParam }) =>
      service.lists.overrides(
        {
          limit: PAGE,
          ...(list !== "" && { list }),
          ...(category !== null && { category }),
          ...(pageParam !== null && { after: pageParam }),
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  const all = pages.data?.pages.flatMap(({ overrides }) => overrides) ?? []
  const isNarrowed = list !== "" || category !== null
  const narrow = (name: string, value: string): void =>
    setSearch((now) => {
      const next = new URLSearchParams(now)
      if (value === "") next.delete(name)
      else next.set(name, value)
      return next
    })
  return (
    <>
      <PageHead title="Lists" />
      <p>
        What you say of a mail domain wins over the lists that ship with the release, for every
        tenant, from the next score on. A subdomain counts with its parents.
      </p>
      <Check />
      <NewOverride />
      <h2>Overrides</h2>
      <Group align="flex-end" mb="md">
        <NativeSelect
          label="List"
          value={list}
          data={[{ value: "", label: "Any" }, ...listChoices(pages.data, list)]}
          onChange={(event) => narrow("list", event.currentTarget.value)}
        />
        <NativeSelect
          label="Category"
          value={category ?? ""}
          data={[{ value: "", label: "Any" }, ...Object.keys(CATEGORIES)]}
          onChange={(event) => narrow("category", event.currentTarget.value)}
        />
      </Group>
      {pages.error !== null && <Failure error={pages.error} retry={() => void pages.refetch()} />}
      {pages.isPending && <Loading />}
      {pages.isSuccess &&
        all.length === 0 &&
        (isNarrowed ? (
          <Empty
            action={
              <Button size="xs" variant="default" onClick={() => setSearch(new URLSearchParams())}>
                Show all overrides
              </Button>
            }
          >
            No override matches these filters.
          </Empty>
        ) : (
          <Empty>
            You say nothing of any domain yet, so the shipped lists decide. Add a domain above, or
            take over a whole file with <code>npx assay lists import</code>.
          </Empty>
        ))}
      {all.length > 0 && <Overrides overrides={all} />}
      {pages.hasNextPage && (
        <Button
          variant="default"
          mt="md"
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          Show more overrides
        </Button>
      )}
    </>
  )
}

/** The lists there are; one that the address names and that is gone stays to be seen. */
function listChoices(
  data: InfiniteData<DomainOverrideList> | undefined,
  chosen: string,
): { value: string; label: string }[] {
  const lists = data?.pages[0]?.lists ?? []
  const known = lists.map(({ list, overrides }) => ({
    value: list,
    label: `${list} (${count.format(overrides)})`,
  }))
  const isKnown = chosen === "" || lists.some(({ list }) => list === chosen)
  return isKnown ? known : [...known, { value: chosen, label: chosen }]
}

function NewOverride(): ReactElement {
  const add = useChange(
    (form: FormData) =>
      service.lists.add({
        domain: textIn(form, "domain").trim(),
        category: textIn(form, "category") as Category,
        note: textIn(form, "note").trim(),
      }),
    "overrides",
  )
  return (
    <section className="panel">
      <h2>Add an override</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const form = event.currentTarget
          add.mutate(new FormData(form), { onSuccess: () => form.reset() })
        }}
      >
        <Group align="flex-end">
          <TextInput
            name="domain"
            label="Domain"
            placeholder="shop.example"
            autoComplete="off"
            spellCheck={false}
            maxLength={253}
            required
          />
          <NativeSelect
            name="category"
            label="What it is"
            data={[{ value: "", label: "Choose" }, ...choices]}
            required
          />
          <TextInput
            name="note"
            label="Note"
            placeholder="Why, and who asked for it"
            autoComplete="off"
            maxLength={200}
            w={280}
          />
          <Button type="submit" loading={add.isPending}>
            Add override
          </Button>
        </Group>
      </form>
      <div aria-live="polite">
        {add.error !== null && <Failure error={add.error} />}
        {add.data !== undefined && (
          <Alert color="teal" title="In force" role="status" mt="md">
            <p>
              <code>{add.data.domain}</code> is on <code>{add.data.list}</code> as{" "}
              <strong>{add.data.category}</strong>.
            </p>
          </Alert>
        )}
      </div>
    </section>
  )
}
