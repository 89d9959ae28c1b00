import type { EmailEvaluation } from "../../packages/server/src/model-tools/email-evaluation.ts"
import { axes, document, legend, line, type Axis, type Frame, type Series } from "./chart.ts"

const frame: Frame = { left: 72, top: 48, width: 540, height: 400 }

/** How much of the bad each way of ranking finds at each price in false alarms. */
export function rocPlot({ auc, baselines, curves, model }: EmailEvaluation): string {
  const areaOf = (name: string): number =>
    baselines.find((baseline) => baseline.name === name)?.auc ?? auc.all.auc
  const series = curves.roc.map(({ name, points }, i): Series => ({
    name: `${i === 0 ? `${model.name} ${model.version}` : name}, area ${areaOf(name).toFixed(3)}`,
    look: i + 1,
    points: points.map(([x = 0, y = 0]) => [x, y] as const),
  }))
  const x = percentAxis("good identities selected (false alarms)")
  const y = percentAxis("bad identities found")
  const { left, top, width, height } = frame
  const body = [
    axes(frame, x, y),
    `<path class="edge" d="M${left} ${top + height}L${left + width} ${top}"/>`,
    ...series.map((each) => line(frame, x, y, each)),
    legend(left + width - 330, top + height - 92, series),
  ].join("\n")
  return document(
    "ROC curves on the simulated population",
    `Share of bad identities found against share of good ones selected. ${series.map(({ name }) => name).join("; ")}. The dotted diagonal is chance, area 0.5.`,
    510,
    body,
  )
}

function percentAxis(label: string): Axis {
  const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
  return {
    label,
    ticks: ticks.map((value) => ({ value, text: `${Math.round(value * 100)} %` })),
    place: (value) => value,
  }
}
