import type { WatchListRemoval } from "@assay/client"
import { Alert, Button, Group, Textarea } from "@mantine/core"
import { type ReactElement, useState } from "react"
import { useChange } from "../ui/change.ts"
import { asTyped, isNumber } from "../ui/identity.ts"
import { service } from "../ui/service.ts"
import { Failure } from "../ui/states.tsx"

const count = new Intl.NumberFormat()
/** As many as one request takes. */
const LINES_MAX = 1_000

/** Ends watching addresses, numbers and names that are typed. */
export function Remove(): ReactElement {
  const [text, setText] = useState("")
  const remove = useChange(async (what: WatchListRemoval) => {
    const removed = await service.watchList.remove(what)
    setText("")
    return removed
  }, "watch-list")
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
  return (
    <details className="panel">
      <summary>End watching</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          remove.mutate(removalOf(lines))
        }}
      >
        <Textarea
          label="Addresses, numbers and your names of them"
          description="One a line, up to 1,000. A name ends all that is watched by it."
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          rows={4}
          autoComplete="off"
          spellCheck={false}
          error={lines.length > LINES_MAX ? "At most 1,000 lines at once" : null}
          my="md"
        />
        <Group>
          <Button
            type="submit"
            color="red"
            variant="outline"
            loading={remove.isPending}
            disabled={lines.length === 0 || lines.length > LINES_MAX}
          >
            End watching these
          </Button>
        </Group>
      </form>
      <div aria-live="polite">
        {remove.error !== null && <Failure error={remove.error} />}
        {remove.data !== undefined && (
          <Alert
            color="teal"
            title={`${count.format(remove.data.deleted)} no longer watched`}
            role="status"
            mt="md"
          >
            {remove.data.not_found > 0 && (
              <p>By {count.format(remove.data.not_found)} of the lines nothing was watched.</p>
            )}
          </Alert>
        )}
      </div>
    </details>
  )
}

/** What has an @ between others is an address and no name: the service takes no such name. */
function removalOf(lines: readonly string[]): WatchListRemoval {
  const typed = lines.map(asTyped)
  const isEmail = (line: string): boolean => /\S@\S/.test(line)
  return {
    emails: typed.filter(isEmail),
    phone_numbers: typed.filter(isNumber),
    refs: typed.filter((line) => !isEmail(line) && !isNumber(line)),
  }
}
