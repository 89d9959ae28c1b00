import { Button, Group, Modal, TextInput } from "@mantine/core"
import { type SubmitEvent, type ReactElement, type ReactNode, useState } from "react"
import { Failure } from "./states.tsx"

/** A button for what cannot be undone: says what it will do, and needs the name of it typed. */
export function ConfirmedButton(props: {
  readonly label: string
  /** What has to be typed. */
  readonly name: string
  readonly children: ReactNode
  readonly act: () => Promise<unknown>
}): ReactElement {
  const { label, name, children, act } = props
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState("")
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const close = (): void => {
    setOpen(false)
    setTyped("")
    setError(null)
  }
  const submit = async (): Promise<void> => {
    setBusy(true)
    try {
      await act()
      close()
    } catch (failed) {
      setError(failed)
    } finally {
      setBusy(false)
    }
  }
  const send = (event: SubmitEvent): void => {
    event.preventDefault()
    void submit()
  }
  return (
    <>
      <Button size="compact-sm" color="red" variant="outline" onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={label}>
        <form onSubmit={send}>
          {children}
          <TextInput
            label={`Type ${name} to confirm`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
            my="md"
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" color="red" disabled={typed !== name} loading={isBusy}>
              {label}
            </Button>
          </Group>
          {error !== null && <Failure error={error} />}
        </form>
      </Modal>
    </>
  )
}
