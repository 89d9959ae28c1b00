import { assessPhone, BANDS, type PhoneInput, type PhoneModel } from "@assay/core/score"
import { exampleInput } from "../../packages/server/src/model-tools/phone-examples.ts"
import { at1, axes, document, legend, line, type Axis, type Frame, type Series } from "./chart.ts"

const frame: Frame = { left: 72, top: 48, width: 540, height: 400 }

/** From an hour to ninety days, evenly on a logarithmic axis. */
const DAYS_MIN = 1 / 24
const DAYS_MAX = 90
const POINTS = 121

const SETTLED = { line: "mobile", valid: true, active: true } as const

/**
 * How the score falls with the age of a SIM change, and which part of it is the floor set by
 * policy.
 */
export function simChangePlot(model: PhoneModel): string {
  const series: readonly Series[] = [
    curve("SIM changed", 1, model, (simChangeAge) => ({ simChangeAge })),
    curve("and the device with it", 2, model, (simChangeAge) => ({
      simChangeAge,
      deviceChangedWithSim: true,
    })),
    curve("and all calls forwarded", 4, model, (simChangeAge) => ({
      simChangeAge,
      callForwarding: true,
    })),
    curve("SIM changed, without the policy floor", 3, withoutFloor(model), (simChangeAge) => ({
      simChangeAge,
    })),
  ]
  const body = [
    axes(frame, days, points),
    ...BANDS.slice(1).map(({ from }) => edge(from)),
    ...series.map((each) => line(frame, days, points, each)),
    legend(frame.left + 240, frame.top + 10, series),
  ].join("\n")
  return document(
    `Score by time since the SIM changed, ${model.name} ${model.version}`,
    `An active mobile number of which nothing else is known. ${series.map(described).join("; ")}. Dotted lines are the edges of the bands: ${BANDS.slice(
      1,
    )
      .map(({ name, from }) => `${name} from ${from}`)
      .join(", ")}.`,
    510,
    body,
  )
}

const days: Axis = {
  label: "time since the change",
  ticks: [
    { value: 1 / 24, text: "1 h" },
    { value: 0.25, text: "6 h" },
    { value: 1, text: "1 d" },
    { value: 3, text: "3 d" },
    { value: 10, text: "10 d" },
    { value: 30, text: "30 d" },
    { value: 90, text: "90 d" },
  ],
  place: (value) => Math.log(value / DAYS_MIN) / Math.log(DAYS_MAX / DAYS_MIN),
}

const points: Axis = {
  label: "score",
  ticks: [0, 20, 40, 60, 80, 100].map((value) => ({ value, text: String(value) })),
  place: (value) => value / 100,
}

function curve(
  name: string,
  look: number,
  model: PhoneModel,
  known: (age: number) => Partial<PhoneInput>,
): Series {
  return {
    name,
    look,
    points: Array.from({ length: POINTS }, (_, i) => {
      const age = DAYS_MIN * (DAYS_MAX / DAYS_MIN) ** (i / (POINTS - 1))
      const input = exampleInput({ ...SETTLED, ...known(age) })
      return [age, assessPhone(input, model).risk_score] as const
    }),
  }
}

/** The floor ends at the moment of the change, so it holds at no age that is drawn. */
function withoutFloor(model: PhoneModel): PhoneModel {
  const { takeover } = model
  return {
    ...model,
    takeover: { ...takeover, simChange: { ...takeover.simChange, floor: [[0, 0]] } },
  }
}

function edge(from: number): string {
  const y = at1(frame.top + (1 - points.place(from)) * frame.height)
  return `<path class="edge" d="M${frame.left} ${y}H${frame.left + frame.width}"/>`
}

function described({ name, points: drawn }: Series): string {
  return `${name}: from ${drawn[0]?.[1] ?? 0} after an hour to ${drawn.at(-1)?.[1] ?? 0} after 90 days`
}
