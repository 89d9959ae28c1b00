import { Button, Menu, Modal, Stack, TextInput } from "@mantine/core"
import { useLocalStorage } from "@mantine/hooks"
import { type ReactElement, useState } from "react"
import { sending, textIn } from "../ui/form.ts"
import { useSession } from "../ui/service.ts"

interface View {
  readonly name: string
  readonly filter: Readonly<Record<string, string>>
}

/** Filters under names, kept in this browser for each tenant. Whom a list is about is in none. */
export function Views(props: {
  readonly filter: Readonly<Record<string, string>>
  readonly apply: (filter: Record<string, string>) => void
}): ReactElement {
  const { filter, apply } = props
  const { data: session } = useSession()
  const [isSaving, setSaving] = useState(false)
  const [views, setViews] = useLocalStorage<readonly View[]>({
    key: `assay-decision-views-${session?.tenant_id ?? "none"}`,
    defaultValue: [],
  })
  const without = (name: string): View[] => views.filter((view) => view.name !== name)
  const save = (form: FormData): void => {
    const name = textIn(form, "name").trim()
    setViews([...without(name), { name, filter }].sort((a, b) => (a.name < b.name ? -1 : 1)))
    setSaving(false)
  }
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button variant="default">Saved views</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => apply({})}>All decisions</Menu.Item>
          {views.map((view) => (
            <Menu.Item key={view.name} onClick={() => apply({ ...view.filter })}>
              {view.name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item disabled={Object.keys(filter).length === 0} onClick={() => setSaving(true)}>
            Save this view
          </Menu.Item>
          {views.map(({ name }) => (
            <Menu.Item key={name} color="red" onClick={() => setViews(without(name))}>
              Delete {name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Modal opened={isSaving} onClose={() => setSaving(false)} title="Save this view">
        <form onSubmit={sending(save)}>
          <Stack>
            <TextInput
              name="name"
              label="Name"
              description="Kept in this browser. One of the same name is replaced."
              required
              maxLength={64}
              pattern="(?!.*(@|\d{6})).*\S.*"
              title="A name without an address or a number"
              data-autofocus
            />
            <Button type="submit">Save view</Button>
          </Stack>
        </form>
      </Modal>
    </>
  )
}
