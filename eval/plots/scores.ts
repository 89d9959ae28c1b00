import { BANDS } from "@assay/core/score"
import type { EmailEvaluation } from "../../packages/server/src/model-tools/email-evaluation.ts"
import { at1, axes, document, escaped, type Axis, type Frame } from "./chart.ts"

const PANEL_HEIGHT = 120
const PANEL_PITCH = 192

/** How the scores of each outcome are spread, one panel each. */
export function scoresPlot({ curves }: EmailEvaluation): string {
  const { good, takeover, abuse, stepPoints } = curves.scores
  const panels = [
    { name: "good identities", shares: good, look: 3 },
    { name: "taken over within a year", shares: takeover, look: 1 },
    { name: "abusive owner", shares: abuse, look: 2 },
  ]
  const body = panels.map(({ name, shares, look }, i) => {
    const frame: Frame = { left: 72, top: 72 + i * PANEL_PITCH, width: 540, height: PANEL_HEIGHT }
    return panel(frame, name, shares, look, stepPoints)
  })
  return document(
    "Scores by what became of the identity",
    `Share of each outcome in steps of ${stepPoints} points of the score, one panel an outcome, each with its own height. Dotted lines are the edges of the bands: ${BANDS.slice(
      1,
    )
      .map(({ name, from }) => `${name} from ${from}`)
      .join(", ")}.`,
    72 + panels.length * PANEL_PITCH,
    body.join("\n"),
  )
}

function panel(
  frame: Frame,
  name: string,
  shares: readonly number[],
  look: number,
  stepPoints: number,
): string {
  const { left, top, width, height } = frame
  // Tenths, so that ticks are round numbers.
  const most = Math.max(0.1, Math.ceil(Math.max(...shares) * 10) / 10)
  const x: Axis = {
    label: "score",
    ticks: [0, 20, 40, 60, 80, 100].map((value) => ({ value, text: String(value) })),
    place: (value) => value / 100,
  }
  const y: Axis = {
    label: "share",
    ticks: [0, most / 2, most].map((value) => ({ value, text: `${Math.round(value * 100)} %` })),
    place: (value) => value / most,
  }
  const bars = shares.map((share, step) => {
    const barHeight = at1(y.place(share) * height)
    const barLeft = at1(left + x.place(step * stepPoints) * width + 1)
    const barWidth = at1(x.place(stepPoints) * width - 2)
    return `<rect class="fill${look}" x="${barLeft}" y="${at1(top + height - barHeight)}" width="${barWidth}" height="${barHeight}"/>`
  })
  const edges = BANDS.slice(1).map(({ from }) => {
    const at = at1(left + x.place(from) * width)
    return `<path class="edge" d="M${at} ${top}V${top + height}"/>`
  })
  return [
    `<text x="${left}" y="${top - 10}">${escaped(name)}</text>`,
    axes(frame, x, y),
    ...bars,
    ...edges,
  ].join("\n")
}
