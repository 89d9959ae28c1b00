import { Button, Checkbox, Group, Menu, Modal, Stack, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { type ReactElement, useState } from "react"
import { useChange } from "../ui/change.ts"
import { sending, textIn } from "../ui/form.ts"
import { service } from "../ui/service.ts"
import { Failure } from "../ui/states.tsx"

/** Saved filters of the queue, one's own and shared ones. */
export function Views(props: {
  readonly filter: Readonly<Record<string, string>>
  readonly apply: (filter: Record<string, string>) => void
  readonly maySave: boolean
}): ReactElement {
  const { filter, apply, maySave } = props
  const [isSaving, setSaving] = useState(false)
  const views = useQuery({
    queryKey: ["review-views"],
    queryFn: ({ signal }) => service.review.views({ signal }),
  })
  const save = useChange(async (form: FormData) => {
    await service.review.saveView({
      name: textIn(form, "name"),
      shared: form.get("shared") !== null,
      filter,
    })
    setSaving(false)
  }, "review-views")
  const remove = useChange((id: string) => service.review.deleteView(id), "review-views")
  const saved = views.data?.views ?? []
  return (
    <Group gap="xs">
      <Menu>
        <Menu.Target>
          <Button variant="default">Saved views</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => apply({})}>All that wait</Menu.Item>
          {saved.map((view) => (
            <Menu.Item
              key={view.id}
              onClick={() => apply({ ...(view.filter as Record<string, string>) })}
            >
              {view.name}
              {view.shared ? " (shared)" : ""}
            </Menu.Item>
          ))}
          {maySave && (
            <>
              <Menu.Divider />
              <Menu.Item onClick={() => setSaving(true)}>Save this view</Menu.Item>
              {saved.map((view) => (
                <Menu.Item key={view.id} color="red" onClick={() => remove.mutate(view.id)}>
                  Delete {view.name}
                </Menu.Item>
              ))}
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <Modal opened={isSaving} onClose={() => setSaving(false)} title="Save this view">
        <form onSubmit={sending(save.mutate)}>
          <Stack>
            <TextInput name="name" label="Name" required maxLength={64} data-autofocus />
            <Checkbox name="shared" label="Everybody in the tenant sees it" />
            <Button type="submit" loading={save.isPending}>
              Save view
            </Button>
            {save.error !== null && <Failure error={save.error} />}
          </Stack>
        </form>
      </Modal>
    </Group>
  )
}
