import type { ViewCalls } from "@assay/client"
import { Button, Checkbox, Group, Menu, Modal, Stack, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { type ReactElement, useState } from "react"
import { useChange } from "./change.ts"
import { sending, textIn } from "./form.ts"
import { said } from "./said.ts"
import { Failure } from "./states.tsx"

interface SavedView<Filter> {
  readonly id: string
  readonly name: string
  readonly shared: boolean
  readonly filter: Filter
}

interface ViewsProps<Filter extends object> {
  /** Under which the page keeps what it read of them. */
  readonly name: string
  readonly calls: ViewCalls<Omit<SavedView<Filter>, "id">, SavedView<Filter>>
  /** The list without any filter, in words. */
  readonly all: string
  /** As it is now, to be saved. */
  readonly filter: Filter
  readonly apply: (filter: Filter) => void
  readonly maySave: boolean
}

/** Saved filters of a list: one's own, and those that the tenant shares. */
export function Views<Filter extends object>(props: ViewsProps<Filter>): ReactElement {
  const { name: read, calls, all, filter, apply, maySave } = props
  const [isSaving, setSaving] = useState(false)
  const views = useQuery({
    queryKey: [read],
    queryFn: ({ signal }) => calls.list({ signal }),
  })
  const save = useChange(async (view: Omit<SavedView<Filter>, "id">) => {
    await calls.save(view)
    setSaving(false)
  }, read)
  const remove = useChange((view: SavedView<Filter>) => calls.delete(view.id), read)
  const restore = useChange(async ({ id: _old, ...view }: SavedView<Filter>) => {
    await calls.save(view)
    remove.reset()
  }, read)
  const close = (): void => {
    setSaving(false)
    save.reset()
  }
  const saved = views.data?.views ?? []
  return (
    <Group gap="xs">
      {remove.isSuccess && (
        <Group gap="xs" role="status">
          <span className="soft">Deleted {wordsOf(remove.variables)}</span>
          <Button
            size="compact-sm"
            variant="default"
            loading={restore.isPending}
            onClick={() => restore.mutate(remove.variables)}
          >
            Undo
          </Button>
        </Group>
      )}
      {/* Its placeholder of the focus is no item of a menu, and axe says so. */}
      <Menu withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default">Saved views</Button>
        </Menu.Target>
        <Menu.Dropdown maw="calc(100vw - 2rem)">
          <Menu.Item onClick={() => apply({} as Filter)}>{all}</Menu.Item>
          {views.isPending && <Menu.Label>Loading</Menu.Label>}
          {views.isError && (
            <>
              <Menu.Label>{said(views.error, null).title}</Menu.Label>
              <Menu.Item closeMenuOnClick={false} onClick={() => void views.refetch()}>
                Try again
              </Menu.Item>
            </>
          )}
          {views.isSuccess && saved.length === 0 && <Menu.Label>No view is saved yet</Menu.Label>}
          {saved.map((view) => (
            <Menu.Item key={view.id} onClick={() => apply(view.filter)}>
              {wordsOf(view)}
            </Menu.Item>
          ))}
          {maySave && (
            <>
              <Menu.Divider />
              <Menu.Item
                disabled={Object.keys(filter).length === 0}
                onClick={() => setSaving(true)}
              >
                Save this view
              </Menu.Item>
              {saved.map((view) => (
                <Menu.Item key={view.id} c="var(--critical)" onClick={() => remove.mutate(view)}>
                  Delete {wordsOf(view)}
                </Menu.Item>
              ))}
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <Modal opened={isSaving} onClose={close} title="Save this view">
        <form
          onSubmit={sending((form) =>
            save.mutate({
              name: textIn(form, "name").trim(),
              shared: form.get("shared") !== null,
              filter,
            }),
          )}
        >
          <Stack>
            <TextInput
              name="name"
              label="Name"
              description="Without an address or a number. One of the same name is replaced."
              required
              maxLength={64}
              autoComplete="off"
              data-autofocus
            />
            <Checkbox name="shared" label="Everybody in the tenant sees it" defaultChecked />
            <Button type="submit" loading={save.isPending}>
              Save view
            </Button>
            {save.error !== null && <Failure error={save.error} />}
          </Stack>
        </form>
      </Modal>
      {[remove.error, restore.error].map(
        (error) => error !== null && <Failure key={error.message} error={error} />,
      )}
    </Group>
  )
}

const wordsOf = ({ name, shared }: { readonly name: string; readonly shared: boolean }): string =>
  shared ? `${name} (shared)` : name
