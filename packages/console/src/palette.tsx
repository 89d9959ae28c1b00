import "@mantine/spotlight/styles.css"
import { Modal } from "@mantine/core"
import { useHotkeys } from "@mantine/hooks"
import { Spotlight } from "@mantine/spotlight"
import { type ReactElement, useState } from "react"
import { useLocation } from "wouter"
import type { Page } from "./pages.ts"

const DECISION = /^dec_[0-7][0-9a-z]{25}$/

/** Ctrl or Cmd and K: go to a page, or to a decision by its id. `?` lists the keys. */
export function Palette({ pages }: { readonly pages: readonly Page[] }): ReactElement {
  const [, go] = useLocation()
  const [asked, setAsked] = useState("")
  const [hasHelp, setHelp] = useState(false)
  useHotkeys([["shift+?", () => setHelp(true)]])
  const id = asked.trim()
  const decision = DECISION.test(id)
    ? [{ id, label: `Open decision ${id}`, onClick: () => go(`/console/decisions/${id}`) }]
    : []
  const actions = pages.map(({ path, title, group }) => ({
    id: path,
    label: title,
    description: group,
    onClick: () => go(path),
  }))
  return (
    <>
      <Spotlight
        actions={[...decision, ...actions]}
        query={asked}
        onQueryChange={setAsked}
        shortcut="mod + K"
        nothingFound="No such page"
        searchProps={{
          placeholder: "Go to a page, or the id of a decision",
          "aria-label": "Go to",
        }}
      />
      <Modal opened={hasHelp} onClose={() => setHelp(false)} title="Keys">
        <dl>
          {KEYS.map(([key, meaning]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </Modal>
    </>
  )
}

const KEYS: readonly [key: string, meaning: string][] = [
  ["Ctrl K or ⌘ K", "Go to a page, or to a decision by its id"],
  ["?", "These keys"],
  ["j, k", "In the review queue: next, back"],
  ["o, Esc", "Open the decision of the one that is marked; close it"],
  ["x", "Pick the one that is marked, to decide several at once"],
  ["f, g, c", "Confirmed fraud, genuine, cannot tell"],
  ["a, u", "Assign to me; undo the last outcome"],
]
