import "@mantine/spotlight/styles.css"
import { Modal } from "@mantine/core"
import { useHotkeys } from "@mantine/hooks"
import { Spotlight } from "@mantine/spotlight"
import { type ReactElement, useState } from "react"
import { useLocation } from "wouter"
import { seek } from "./decisions/sought.ts"
import type { Page } from "./pages.ts"
import { handOver } from "./playground/handed.ts"

const [PLAYGROUND, DECISIONS] = ["/console/playground", "/console/decisions"]
const DECISION = /^dec_[0-7][0-9a-z]{25}$/

/** Something with an @ between others, or a number with its plus sign. */
const IDENTITY = /^(\S+@\S+|\+[\d ().-]{6,})$/

/** Ctrl or Cmd and K: go to a page, score an identity, find a decision. `?` lists the keys. */
export function Palette(props: {
  readonly pages: readonly Page[]
  readonly hasInbox: boolean
}): ReactElement {
  const { pages, hasInbox } = props
  const [, go] = useLocation()
  const [asked, setAsked] = useState("")
  const [hasHelp, setHelp] = useState(false)
  useHotkeys([["shift+?", () => setHelp(true)]])
  const id = asked.trim()
  const decision = DECISION.test(id)
    ? [{ id, label: `Open decision ${id}`, onClick: () => go(`/console/decisions/${id}`) }]
    : []
  const has = (path: string): boolean => pages.some((page) => page.path === path)
  const typed = IDENTITY.test(id) ? id : null
  const scoreIt = (identity: string): void => {
    handOver(identity)
    go(PLAYGROUND)
  }
  const findIt = (identity: string): void => {
    seek(identity)
    go(`${DECISIONS}?about=somebody`)
  }
  const aboutIt = [
    ...(typed !== null && has(PLAYGROUND)
      ? [{ id: "score", label: `Score ${typed}`, onClick: () => scoreIt(typed) }]
      : []),
    ...(typed !== null && has(DECISIONS)
      ? [
          {
            id: "find",
            label: `Find decisions about ${typed}`,
            onClick: () => findIt(typed),
          },
        ]
      : []),
  ]
  const inbox = hasInbox
    ? [
        {
          id: "inbox",
          label: "Inbox",
          description: "Drop",
          // A page of its own, with a stricter policy: it is loaded anew.
          onClick: () => location.assign("/console/drop"),
        },
      ]
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
        actions={[...decision, ...aboutIt, ...actions, ...inbox]}
        query={asked}
        onQueryChange={setAsked}
        shortcut="mod + K"
        nothingFound="No such page. An address, a number or the id of a decision can be typed too."
        searchProps={{
          placeholder: "Page, address, number, decision",
          "aria-label": "Go to",
        }}
      />
      <Modal opened={hasHelp} onClose={() => setHelp(false)} title="Keys">
        <dl className="keys">
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
  ["Ctrl K or ⌘ K", "Go to a page, score an address or number, find a decision"],
  ["?", "These keys"],
  ["j, k", "In the review queue: next, back"],
  ["o, Esc", "Open the decision that is marked; close it"],
  ["x", "Pick it, to decide several at once"],
  ["f, g, c", "Confirmed fraud, genuine, cannot tell"],
  ["a", "Assign to me"],
  ["u", "Undo the last outcome"],
]
