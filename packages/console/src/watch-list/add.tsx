import { Alert, Button, Checkbox, FileInput, Group, Textarea } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactElement, useEffect, useRef, useState } from "react"
import { DropZone } from "../ui/drop-zone.tsx"
import { saveCsv } from "../ui/save.ts"
import { Failure } from "../ui/states.tsx"
import { csvLine } from "../work/csv.ts"
import { addAll, type Added, NOTHING } from "./adding.ts"

const count = new Intl.NumberFormat()

/** What to watch: typed, pasted, or in a file. They are sent and nowhere kept. */
export function Add(): ReactElement {
  const queries = useQueryClient()
  const [text, setText] = useState("")
  const [file, setFile] = useState<File | null>(null)
  const [deliver, setDeliver] = useState(false)
  const [sofar, setSofar] = useState<Added>(NOTHING)
  const ending = useRef<AbortController | null>(null)
  // What is on its way when the page is left is not waited for, and nothing more is sent.
  useEffect(() => () => ending.current?.abort(), [])
  const add = useMutation({
    mutationFn: async () => {
      const own = new AbortController()
      ending.current = own
      setSofar(NOTHING)
      try {
        await addAll(file ?? new Blob([text]), deliver, setSofar, own.signal)
        setText("")
        setFile(null)
      } catch (error) {
        // Whoever stopped it knows, and what was sent by then is told.
        if (!own.signal.aborted) throw error
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["watch-list"] }),
  })
  return (
    <section className="panel" aria-labelledby="add">
      <h2 id="add">Watch addresses, numbers and domains</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          add.mutate()
        }}
      >
        <div className="grid-2">
          <Textarea
            label="One a line"
            description="An address, a number with its plus sign, or a domain of yours. Your own name of it may follow after a comma; without one a name is made."
            placeholder={"name@mail.example, customer-4711\n+61491570156, customer-4711"}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            rows={4}
            autoComplete="off"
            spellCheck={false}
            disabled={file !== null}
          />
          <DropZone onFile={setFile}>
            <FileInput
              label="Or a file"
              description="Drop it here or choose it: the same lines, or NDJSON with email, phone_number or domain, and ref and deliver_identity."
              placeholder="Choose a file"
              value={file}
              onChange={setFile}
              clearable
              clearButtonProps={{ "aria-label": "Take the file away" }}
            />
          </DropZone>
        </div>
        <Checkbox
          my="md"
          label="Send the address or number itself with events"
          description="It is then kept encrypted, and opened only to be sent. Otherwise a keyed hash is all that is kept, and events have your name of it alone."
          checked={deliver}
          onChange={(event) => setDeliver(event.currentTarget.checked)}
        />
        <Group>
          <Button
            type="submit"
            loading={add.isPending}
            disabled={file === null && text.trim() === ""}
          >
            Watch
          </Button>
          {add.isPending && (
            <Button variant="default" onClick={() => ending.current?.abort()}>
              Stop
            </Button>
          )}
        </Group>
      </form>
      <div aria-live="polite">
        {add.error !== null && (
          <Failure error={add.error} kept="Lines that were answered before stay watched." />
        )}
        {add.isPending && sofar !== NOTHING && (
          <p className="soft">
            {count.format(sofar.names.length)} watched so far. Stay on this page until all is sent.
          </p>
        )}
        {!add.isPending && sofar !== NOTHING && <Outcome of={sofar} />}
      </div>
    </section>
  )
}

function Outcome({ of }: { readonly of: Added }): ReactElement {
  const { added, existed, unproved, refused, more, names } = of
  const failed = refused.length + more
  return (
    <Alert
      color="teal"
      title={`${counted(added, "is", "are")} watched from now on`}
      role="status"
      mt="md"
    >
      {existed > 0 && <p>{counted(existed, "was", "were")} watched already.</p>}
      {unproved > 0 && (
        <p>
          {counted(unproved, "domain is", "domains are")} not proved to be yours yet. Nothing is
          told of a domain until its proof, below, is found.
        </p>
      )}
      {failed > 0 && (
        <>
          <p>{failed === 1 ? "1 line was" : `${count.format(failed)} lines were`} refused:</p>
          <ul>
            {refused.map(({ line, why }) => (
              <li key={line}>
                Line {count.format(line)}: {why}
              </li>
            ))}
            {more > 0 && <li>and {count.format(more)} more</li>}
          </ul>
        </>
      )}
      {names.length > 0 && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() =>
            saveCsv("assay-watch-list.csv", [csvLine(["line", "status", "ref"]), ...names])
          }
        >
          Download the names by line
        </Button>
      )}
    </Alert>
  )
}

const counted = (n: number, one: string, many: string): string =>
  `${count.format(n)} ${n === 1 ? one : many}`
