import type { CSSProperties, MouseEvent, ReactElement, ReactNode } from "react"

/** The title of a column; one that begins with `#` is of numbers. */
export type Column = string

/**
 * A table that is scrolled by itself where a screen is too narrow for it. On a phone the rows of
 * one with many columns stand below each other, and each value has the title of its column.
 */
export function Table(props: {
  readonly label: string
  readonly columns: readonly Column[]
  /** Whether each row opens something, by its link. */
  readonly opens?: boolean
  /** The rows. */
  readonly children: ReactNode
}): ReactElement {
  const { opens = false } = props
  return (
    <div
      className={opens ? "table-wrap opens" : "table-wrap"}
      tabIndex={0}
      role="region"
      aria-label={props.label}
      style={titlesIn(props.columns)}
    >
      <table>
        <thead>
          <tr>
            {props.columns.map((column) =>
              column.startsWith("#") ? (
                <th key={column} className="number">
                  {column.slice(1)}
                </th>
              ) : (
                <th key={column}>{column}</th>
              ),
            )}
          </tr>
        </thead>
        <tbody onClick={opens ? openRow : undefined}>{props.children}</tbody>
      </table>
    </div>
  )
}

/** The titles, for a style sheet that sets them before the values. */
function titlesIn(columns: readonly Column[]): CSSProperties {
  const titles = columns.map((column, n) => [
    `--title-${n + 1}`,
    JSON.stringify(column.replace(/^#/, "")),
  ])
  return Object.fromEntries(titles) as CSSProperties
}

/** A click anywhere on a row is one on its link, which is also what the keyboard reaches. */
function openRow({ target }: MouseEvent): void {
  if (!(target instanceof Element) || target.closest("a, button, input, label") !== null) return
  // Somebody who marks text to copy it opens nothing.
  if (getSelection()?.isCollapsed === false) return
  target.closest("tr")?.querySelector<HTMLAnchorElement>("a[href]")?.click()
}
