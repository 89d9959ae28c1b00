import type { EmailRiskResult, PhoneRiskResult, ScoredItem } from "@assay/client"
import { Button, FileInput, Group, Progress } from "@mantine/core"
import { type ReactElement, useRef, useState } from "react"
import { service } from "../ui/service.ts"
import { Failure, PageHead } from "../ui/states.tsx"
import { csvLine, firstCells } from "./csv.ts"

interface Work {
  readonly done: number
  readonly total: number
  readonly failed: number
  readonly startedAt: number
  /** The scored lines, once all are done or the work was ended. */
  readonly result: Blob | null
}

const count = new Intl.NumberFormat()
const HEAD = csvLine(["identity", "risk_score", "stage_or_level", "action", "reasons", "problem"])

/** Scores the identities of a file. The file is read in this page, and only what is asked for is sent. */
export default function Batch(): ReactElement {
  const [file, setFile] = useState<File | null>(null)
  const [work, setWork] = useState<Work | null>(null)
  const [error, setError] = useState<unknown>(null)
  const ending = useRef<AbortController | null>(null)
  const run = async (): Promise<void> => {
    if (file === null) return
    const cells = firstCells(await file.text())
    const emails = cells.filter((cell) => !cell.startsWith("+"))
    const phones = cells.filter((cell) => cell.startsWith("+"))
    const lines = [HEAD]
    const controller = new AbortController()
    ending.current = controller
    let [done, failed] = [0, 0]
    const startedAt = Date.now()
    const show = (result: Blob | null): void =>
      setWork({ done, total: cells.length, failed, startedAt, result })
    setError(null)
    show(null)
    try {
      const options = { signal: controller.signal }
      for (const [identities, stream] of [
        [emails, service.scoreEmailStream(emails, options)],
        [phones, service.scorePhoneStream(phones, options)],
      ] as const)
        for await (const item of stream) {
          lines.push(lineOf(identities[item.index] ?? "", item))
          if (item.problem !== undefined) failed++
          if (++done % 100 === 0) show(null)
        }
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure)
    } finally {
      ending.current = null
      show(new Blob(lines, { type: "text/csv" }))
    }
  }
  const isRunning = work !== null && work.result === null
  return (
    <>
      <PageHead title="Batch" />
      <p>
        The first column of the file holds addresses, or numbers with a plus sign; both may be
        mixed. Each is a lookup of your plan.
      </p>
      <Group align="flex-end" mb="md">
        <FileInput
          label="CSV file"
          placeholder="Choose a file"
          accept=".csv,text/csv,text/plain"
          value={file}
          onChange={setFile}
          w={320}
        />
        <Button disabled={file === null} loading={isRunning} onClick={() => void run()}>
          Score the file
        </Button>
        {isRunning && (
          <Button variant="default" onClick={() => ending.current?.abort()}>
            Stop
          </Button>
        )}
      </Group>
      {error !== null && <Failure error={error} />}
      {work !== null && <Shown work={work} />}
    </>
  )
}

function Shown({ work }: { readonly work: Work }): ReactElement {
  const { done, total, failed, startedAt, result } = work
  const seconds = Math.max(1, (Date.now() - startedAt) / 1000)
  return (
    <>
      <Progress value={total === 0 ? 100 : (100 * done) / total} aria-label="Scored" />
      <p role="status">
        {count.format(done)} of {count.format(total)} scored,{" "}
        {count.format(Math.round(done / seconds))} a second
        {failed > 0 && `, ${count.format(failed)} could not be`}.
      </p>
      {result !== null && (
        <Button component="a" href={URL.createObjectURL(result)} download="assay-scores.csv">
          Download the scores
        </Button>
      )}
    </>
  )
}

function lineOf(
  identity: string,
  item: ScoredItem<EmailRiskResult> | ScoredItem<PhoneRiskResult>,
): string {
  const { result, problem } = item
  if (problem !== undefined) return csvLine([identity, "", "", "", "", problem.code])
  const { risk_score: score, risk_reasons: reasons } = result
  return "email" in result
    ? csvLine([
        identity,
        score,
        result.threat_stage,
        result.recommended_action,
        reasons.join("; "),
        "",
      ])
    : csvLine([identity, score, result.risk_level, result.recommendation, reasons.join("; "), ""])
}
