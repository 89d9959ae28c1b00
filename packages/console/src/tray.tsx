import { Button } from "@mantine/core"
import type { ReactElement } from "react"
import { Link, useLocation } from "wouter"
import { useChange } from "./ui/change.ts"
import { ImportProgress } from "./ui/import-progress.tsx"
import { stopImport, useImports } from "./ui/imports.ts"
import { Failure } from "./ui/states.tsx"

/**
 * Long work, on every page but its own. It is asked of the service, so it is there after a reload,
 * and in every other tab.
 */
export function Tray(): ReactElement | null {
  const [path] = useLocation()
  const stop = useChange((id: string) => stopImport(id), "imports")
  const running = useImports().data?.imports.find(({ state }) => state === "running")
  if (running === undefined || path.startsWith("/console/corpus")) return null
  return (
    <aside className="tray" aria-label="Long work">
      <p>
        <Link href="/console/corpus">Import of {running.source}</Link>
      </p>
      <ImportProgress of={running} />
      {/* While it is counted whom it concerns, there is nothing left to stop. */}
      {running.phase !== "counting" && (
        <p>
          <Button
            size="compact-sm"
            variant="default"
            loading={stop.isPending}
            onClick={() => stop.mutate(running.id)}
          >
            Stop the import of {running.source}
          </Button>
        </p>
      )}
      {stop.error !== null && <Failure error={stop.error} />}
    </aside>
  )
}
