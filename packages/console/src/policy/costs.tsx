import type { PolicyPreview } from "@assay/client"
import { NumberInput, Slider } from "@mantine/core"
import type { ReactElement } from "react"
import { COSTS, type CostName } from "./proposal.ts"

interface CostWords {
  readonly label: string
  /** What the slider reaches; the number beside it takes any. */
  readonly from: number
  readonly to: number
}

const WORDS: Readonly<Record<CostName, CostWords>> = {
  loss: { label: "A bad actor gets through", from: 1, to: 1_000 },
  challenge: { label: "A good user is challenged", from: 0.1, to: 10 },
  wrong_block: { label: "A good user is blocked", from: 0.5, to: 500 },
}

const number = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 })

/** What outcomes cost: a slider each over several powers of ten, and the exact number beside it. */
export function Costs(props: {
  readonly costs: Readonly<Partial<Record<CostName, number>>>
  /** The costs as they would act, with those of the model; null while they are not known. */
  readonly acting: PolicyPreview["email"]["costs"] | null
  readonly isDisabled: boolean
  readonly set: (name: CostName, value: number | null) => void
}): ReactElement {
  const { costs, acting, isDisabled, set } = props
  return (
    <>
      {COSTS.map((name) => {
        const { label, from, to } = WORDS[name]
        const value = costs[name] ?? acting?.[name] ?? from
        return (
          <div key={name} className="cost">
            <NumberInput
              label={label}
              placeholder={
                acting === null ? "as the model" : `${number.format(acting[name])}, as the model`
              }
              value={costs[name] ?? ""}
              min={0.01}
              max={100_000}
              disabled={isDisabled}
              onChange={(typed) => set(name, typeof typed === "number" && typed > 0 ? typed : null)}
            />
            <Slider
              className="cost-slider"
              min={Math.log10(from)}
              max={Math.log10(to)}
              step={0.01}
              value={Math.log10(value)}
              label={(power) => number.format(10 ** power)}
              thumbLabel={`${label}: slider`}
              thumbValueText={(power) => number.format(10 ** power)}
              disabled={isDisabled}
              onChange={(power) => set(name, Number((10 ** power).toPrecision(3)))}
            />
          </div>
        )
      })}
    </>
  )
}
