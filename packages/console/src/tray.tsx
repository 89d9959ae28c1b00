import type { ImportState } from "@assay/client"
import { Button } from "@mantine/core"
import type { ReactElement } from "react"
import { Link, useLocation, useSearchParams } from "wouter"
import { useChange } from "./ui/change.ts"
import { ImportProgress } from "./ui/import-progress.tsx"
import { stopImport, useImports } from "./ui/imports.ts"
import { Failure } from "./ui/states.tsx"
import type { Kind, Lost, Work } from "./work/kinds.ts"
import { NOUNS, progressOf, titleOf } from "./work/words.ts"
import { StopWork, WorkProgress } from "./work/work-state.tsx"
import { discardWork, seeWork, useWork } from "./work/work.ts"

/**
 * Long work, on every page but its own, until somebody has seen how it ended. It is asked of
 * whoever does it, so it is there after a reload, and in every other tab.
 */
export function Tray({ hasImports }: { readonly hasImports: boolean }): ReactElement | null {
  return hasImports ? <TrayOfAdministrator /> : <Entries imported={undefined} />
}

function TrayOfAdministrator(): ReactElement | null {
  const [path] = useLocation()
  const imported = useImports().data?.imports.find(({ state }) => state === "running")
  return <Entries imported={path.startsWith("/console/corpus") ? undefined : imported} />
}

/** Where work was begun, and where what came of it is. */
const PLACES: Readonly<Record<Kind, { readonly path: string; readonly tab?: string }>> = {
  batch: { path: "/console/batch" },
  "back-test": { path: "/console/policy", tab: "back-test" },
  shadow: { path: "/console/policy", tab: "shadow" },
}

function Entries({
  imported,
}: {
  readonly imported: ImportState | undefined
}): ReactElement | null {
  const [path] = useLocation()
  const [search] = useSearchParams()
  const isHere = (kind: Kind): boolean =>
    PLACES[kind].path === path &&
    (PLACES[kind].tab ?? "") === (kind === "batch" ? "" : (search.get("tab") ?? "back-test"))
  const works = (useWork()?.works ?? []).filter(
    (work) => !isHere(work.kind) && (work.state === "lost" || !work.isSeen),
  )
  if (imported === undefined && works.length === 0) return null
  return (
    <aside className="tray" aria-label="Long work">
      <ul>
        {imported !== undefined && <ImportEntry of={imported} />}
        {works.map((work) => (
          <WorkEntry key={work.id} of={work} />
        ))}
      </ul>
    </aside>
  )
}

function ImportEntry({ of }: { readonly of: ImportState }): ReactElement {
  const stop = useChange((id: string) => stopImport(id), "imports")
  return (
    <li>
      <p>
        <Link href="/console/corpus">Import of {of.source}</Link>
      </p>
      <ImportProgress of={of} />
      {/* While it is counted whom it concerns, there is nothing left to stop. */}
      {of.phase !== "counting" && (
        <p>
          <Button
            size="compact-sm"
            variant="default"
            loading={stop.isPending}
            onClick={() => stop.mutate(of.id)}
          >
            Stop the import of {of.source}
          </Button>
        </p>
      )}
      {stop.error !== null && <Failure error={stop.error} />}
    </li>
  )
}

function WorkEntry({ of }: { readonly of: Work | Lost }): ReactElement {
  const { path, tab } = PLACES[of.kind]
  // There is nothing to come back to of what is lost.
  const hide = useChange(
    (id: string) => (of.state === "lost" ? discardWork(id) : seeWork(id)),
    "work",
  )
  return (
    <li>
      <div className="tray-head">
        <p>
          <Link href={tab === undefined ? path : `${path}?tab=${tab}`}>{titleOf(of)}</Link>{" "}
          <span className="soft">{STATES[of.state]}</span>
        </p>
        <StopWork of={of} isShort />
        {of.state !== "running" && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Hide the ${NOUNS[of.kind]}`}
            loading={hide.isPending}
            onClick={() => hide.mutate(of.id)}
          >
            Hide
          </Button>
        )}
      </div>
      <WorkProgress of={of} />
      <p>
        {progressOf(of, Date.now())}
        {of.state === "failed" && ` ${of.failure?.title ?? ""}.`}
      </p>
      {hide.error !== null && <Failure error={hide.error} />}
    </li>
  )
}

const STATES: Readonly<Record<(Work | Lost)["state"], string>> = {
  running: "runs",
  done: "done",
  stopped: "stopped",
  failed: "failed",
  lost: "lost",
}
