import { markdownTable } from "../../scripts/table.ts"

/** Something that was measured, and what it has to be. */
export interface Figure {
  readonly what: string
  readonly figure: number
  /** Empty where it is only told. */
  readonly must: string
  readonly aim: string
  readonly met: boolean
}

export function told(what: string, figure: number): Figure {
  return { what, figure, must: "", aim: "", met: true }
}

export function atMost(what: string, figure: number, must: number, aim?: number): Figure {
  return { ...bounds("≤", must, aim), what, figure, met: figure <= must }
}

export function atLeast(what: string, figure: number, must: number, aim?: number): Figure {
  return { ...bounds("≥", must, aim), what, figure, met: figure >= must }
}

function bounds(sign: string, must: number, aim?: number): Pick<Figure, "must" | "aim"> {
  return { must: `${sign} ${must}`, aim: aim === undefined ? "" : `${sign} ${aim}` }
}

/** Those that have to be something. */
export function judgedTable(figures: readonly Figure[]): string {
  return markdownTable(
    ["what", "must", "aim", "measured", "met"],
    figures
      .filter(({ must }) => must !== "")
      .map(({ what, must, aim, figure, met }) => [
        what,
        must,
        aim,
        rounded(figure),
        met ? "yes" : "NO",
      ]),
  )
}

/** Those that are only told. */
export function toldTable(figures: readonly Figure[]): string {
  return markdownTable(
    ["what", "measured"],
    figures.filter(({ must }) => must === "").map(({ what, figure }) => [what, rounded(figure)]),
  )
}

function rounded(figure: number): string {
  return figure >= 100 ? figure.toFixed(0) : figure.toFixed(2)
}
