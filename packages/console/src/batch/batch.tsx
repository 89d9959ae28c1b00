import { Button, FileInput, Group } from "@mantine/core"
import { type ReactElement, useState } from "react"
import { useChange } from "../ui/change.ts"
import { DropZone } from "../ui/drop-zone.tsx"
import { saveCsv } from "../ui/save.ts"
import { Failure, PageHead } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import type { Batch as BatchWork, Lost } from "../work/kinds.ts"
import { titleOf } from "../work/words.ts"
import { WorkState } from "../work/work-state.tsx"
import { beginWork, discardWork, scoresOf, useWork, useWorkOf } from "../work/work.ts"

/**
 * Scores the identities of a file. It is read in this browser, and only what is asked for is sent.
 */
export default function Batch(): ReactElement {
  const [file, setFile] = useState<File | null>(null)
  const work = useWorkOf("batch")
  const begin = useChange((chosen: File) => beginWork({ kind: "batch", file: chosen }), "work")
  const isRunning = begin.isPending || work?.state === "running"
  return (
    <>
      <PageHead title="Batch" />
      <p>
        The first column of the file holds addresses, or numbers with a plus sign; both may be
        mixed. Each is a lookup of your plan.
      </p>
      <DropZone onFile={setFile}>
        <Group align="flex-end">
          <FileInput
            label="CSV file"
            description="Drop it here or choose it. It is read in this browser."
            placeholder="Choose a file"
            accept=".csv,text/csv,text/plain"
            value={file}
            onChange={setFile}
            w={320}
          />
          <Button
            disabled={file === null}
            loading={isRunning}
            onClick={() => file !== null && begin.mutate(file)}
          >
            Score the file
          </Button>
        </Group>
      </DropZone>
      {begin.error !== null && <Failure error={begin.error} />}
      {work !== undefined && <Scored key={work.id} of={work} />}
    </>
  )
}

function Scored({ of }: { readonly of: BatchWork | Lost }): ReactElement {
  const download = useChange(() => saveScores(of.id), "work")
  const discard = useChange(() => discardWork(of.id), "work")
  const hasScores = of.state !== "running" && of.state !== "lost" && of.done > 0
  return (
    <section className="panel" aria-label={titleOf(of)}>
      <h2>{titleOf(of)}</h2>
      <WorkState of={of} />
      {of.state === "running" && <Meanwhile />}
      {of.state !== "running" && (
        <Group my="md">
          {hasScores && (
            <Button loading={download.isPending} onClick={() => download.mutate(undefined)}>
              Download the scores
            </Button>
          )}
          <Button
            variant="default"
            loading={discard.isPending}
            onClick={() => discard.mutate(undefined)}
          >
            {hasScores ? "Discard the scores" : "Discard the batch"}
          </Button>
        </Group>
      )}
      {hasScores && (
        <p className="soft">
          The scores are in the memory of this browser alone, until you discard them, sign out or
          leave the console.
        </p>
      )}
      {download.error !== null && <Failure error={download.error} />}
      <p className="soft">
        Begun <Moment at={new Date(of.begunAtMs).toISOString()} />
      </p>
    </section>
  )
}

function Meanwhile(): ReactElement | null {
  const listed = useWork()
  if (listed === undefined) return null
  return (
    <p className="soft">
      {listed.survivesReload
        ? "It goes on while you open other pages of the console, or load this one again."
        : "It goes on while you open other pages of the console. This browser has no service workers here: closing or reloading the tab ends it."}
    </p>
  )
}

/** A file is made of the scores only now: a browser may put one on the disk. */
async function saveScores(id: string): Promise<void> {
  saveCsv("assay-scores.csv", await scoresOf(id))
}
