import type { ReactElement, ReactNode } from "react"

/** The title of a column; one that begins with `#` is of numbers. */
export type Column = string

/** A table that is scrolled by itself where a screen is too narrow for it. */
export function Table(props: {
  readonly label: string
  readonly columns: readonly Column[]
  /** The rows. */
  readonly children: ReactNode
}): ReactElement {
  return (
    <div className="table-wrap" tabIndex={0} role="region" aria-label={props.label}>
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
        <tbody>{props.children}</tbody>
      </table>
    </div>
  )
}
