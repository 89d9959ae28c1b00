import { AssayProblem, type ImportState } from "@assay/client"
import { Alert, Button } from "@mantine/core"
import type { ReactElement, ReactNode } from "react"
import { Link } from "wouter"
import { ImportProgress, PhaseTimes } from "../ui/import-progress.tsx"
import { stopImport, useImports, useUpload } from "../ui/imports.ts"
import { useChange } from "../ui/change.ts"
import { Answer, Empty, Failure, PageHead } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { importedWords } from "./imported-words.ts"
import { NewImport } from "./new-import.tsx"
import "./corpus.css"

/** Imports into the corpus, for administrators of the service. */
export default function Corpus(): ReactElement {
  const imports = useImports()
  const isOff = imports.error instanceof AssayProblem && imports.error.code === "imports-off"
  return (
    <>
      <PageHead title="Corpus" />
      {isOff ? (
        <Empty action={<Link href="/console/sources">See what was imported</Link>}>
          Files are imported on the machine itself, with <code>assay corpus import</code>. To import
          them here, set <code>ASSAY_CONSOLE_IMPORTS=true</code> and start the service anew.
        </Empty>
      ) : (
        <Answer of={imports}>
          {(list) => (
            <>
              <NewImport list={list} />
              <Imports imports={list.imports} />
            </>
          )}
        </Answer>
      )}
    </>
  )
}

function Imports({ imports }: { readonly imports: readonly ImportState[] }): ReactElement {
  const { upload } = useUpload()
  const stop = useChange((id: string) => stopImport(id), "imports")
  return (
    <section aria-labelledby="imports">
      <h2 id="imports">Imports</h2>
      {upload !== null && upload.error !== null && <Failure error={upload.error} />}
      {stop.error !== null && <Failure error={stop.error} />}
      {imports.length === 0 && (
        <p>
          Nothing was imported here yet.{" "}
          <Link href="/console/sources">See what the corpus holds</Link>.
        </p>
      )}
      {imports.map((each) => (
        <article key={each.id} className="panel import" aria-label={`Import of ${each.source}`}>
          <h3>
            {each.source} <span className="soft">{STATES[each.state]}</span>
          </h3>
          {each.state === "running" && (
            <>
              <div role="status">
                <ImportProgress of={each} />
              </div>
              {each.from === "upload" && isArriving(each) && (
                <p className="soft">
                  The file is on its way from this browser: other pages can be opened meanwhile, but
                  closing or reloading the tab ends the upload, and then nothing is imported.
                </p>
              )}
              <Button
                size="compact-sm"
                variant="default"
                loading={stop.isPending}
                onClick={() => stop.mutate(each.id)}
              >
                {each.phase === "counting" ? "Stop counting" : "Stop the import"}
              </Button>
            </>
          )}
          {each.state === "failed" && <p>{each.detail}. Nothing was imported.</p>}
          {each.state === "stopped" && <p>Nothing was imported.</p>}
          {each.state === "done" && each.report === null && <p>Its evidence counts.</p>}
          {each.report !== null && (
            <Report of={each.report}>
              <Watched of={each.watched} />
              <Decided of={each} />
            </Report>
          )}
          {each.state === "done" && each.report?.decided !== null && each.detail !== null && (
            <p className="soft">{each.detail}.</p>
          )}
          {each.state !== "running" && <PhaseTimes of={each} />}
          <p className="soft">
            Begun <Moment at={each.started_at} />
            {each.ended_at !== null && (
              <>
                , ended <Moment at={each.ended_at} />
              </>
            )}
          </p>
        </article>
      ))}
    </section>
  )
}

const STATES: Readonly<Record<ImportState["state"], string>> = {
  running: "runs",
  done: "done",
  failed: "failed",
  stopped: "stopped",
}

const isArriving = ({ phase }: ImportState): boolean =>
  phase === "starting" || phase === "examining" || phase === "reading"

const count = new Intl.NumberFormat()

interface ReportProps {
  readonly of: NonNullable<ImportState["report"]>
  /** Whom it concerns. */
  readonly children: ReactNode
}

function Report({ of, children }: ReportProps): ReactElement {
  if (!of.changed)
    return (
      <>
        <p>Exactly this was imported before. Nothing changed.</p>
        {children}
      </>
    )
  return (
    <>
      <p>{importedWords(of)}</p>
      {children}
      {of.circulates && (
        <Alert color="teal">
          {of.same_as === null
            ? "Older sources hold most of this: it counts as passed on, not as another origin."
            : `This is the same data as ${of.same_as}: it counts as passed on, not as another origin.`}
        </Alert>
      )}
      {of.rejected > 0 && (
        <>
          <p>
            {count.format(of.rejected)} {of.rejected === 1 ? "row was" : "rows were"} rejected:
          </p>
          <ul>
            {of.rejects.map(({ reason, count: n }) => (
              <li key={reason}>
                {reason}: {count.format(n)}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

/** Whom of the file tenants watch, once all of it was compared. */
function Watched({ of }: { readonly of: ImportState["watched"] }): ReactElement | null {
  if (of?.complete !== true) return null
  return (
    <p>
      <strong>{count.format(of.identities)}</strong> of the identities watched when it came{" "}
      {of.identities === 1 ? "is" : "are"} in it.
    </p>
  )
}

/**
 * Whom of the file decisions were about: none is a number, and not to know it is another matter.
 */
function Decided({ of }: { readonly of: ImportState }): ReactElement | null {
  const decided = of.report?.decided ?? null
  if (decided === null) {
    if (of.state !== "done") return null
    const why = of.detail === null ? "" : ` ${of.detail}.`
    return <p>How many identities that were decided lately are in it could not be counted.{why}</p>
  }
  const days = decided.days === 1 ? "day" : `${count.format(decided.days)} days`
  return (
    <p>
      <strong>{count.format(decided.identities)}</strong> of the identities decided in the last{" "}
      {days} {decided.identities === 1 ? "is" : "are"} in it.
    </p>
  )
}
