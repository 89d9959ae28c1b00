import type {
  EmailEvaluation,
  ReliabilityBin,
} from "../../packages/server/src/model-tools/email-evaluation.ts"
import { axes, document, legend, line, type Axis, type Frame, type Series } from "./chart.ts"

const frame: Frame = { left: 84, top: 48, width: 528, height: 400 }
// Logarithmic: nine of ten identities lie below 5 %, and would be one dot on a plain axis.
const LOWEST = 0.001

/** Predicted against actual outcomes, in bins of equal mass, before and after calibration. */
export function reliabilityPlot({ calibration, curves }: EmailEvaluation): string {
  const { before, after } = curves.reliability
  const series: Series[] = [
    seriesOf(`before, calibration error ${calibration.before.ece.toFixed(4)}`, 2, before),
    seriesOf(`after, calibration error ${calibration.after.ece.toFixed(4)}`, 1, after),
  ]
  const x = logAxis("mean probability told")
  const y = logAxis("share that turned out bad")
  const { left, top, width, height } = frame
  const body = [
    axes(frame, x, y),
    `<path class="edge" d="M${left} ${top + height}L${left + width} ${top}"/>`,
    ...series.map((each) => line(frame, x, y, each)),
    legend(left + 16, top + 20, series),
  ].join("\n")
  return document(
    "Reliability before and after calibration",
    `Bins of equal mass on logarithmic axes, at most ten, since equal probabilities share one; on the dotted diagonal told and real agree. ${series.map(({ name }) => name).join("; ")}. Bins without a bad identity lie on the lower edge.`,
    510,
    body,
  )
}

function seriesOf(name: string, look: number, bins: readonly ReliabilityBin[]): Series {
  return {
    name,
    look,
    dots: true,
    points: bins.map(({ meanP, badRate }) => [meanP, badRate] as const),
  }
}

function logAxis(label: string): Axis {
  const ticks = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1]
  return {
    label,
    ticks: ticks.map((value) => ({ value, text: `${Number((value * 100).toFixed(1))} %` })),
    place: (value) => Math.log(Math.max(value, LOWEST) / LOWEST) / Math.log(1 / LOWEST),
  }
}
