import {
  type EmailInput,
  EXPOSURE_KINDS,
  type Exposure,
  SECRETS,
  SIGNAL_TYPES,
  type Signal,
} from "@assay/core/score"

/** Different inputs in turn, so that neither the processor nor the compiler learns one by heart. */
const INPUTS = 64

/**
 * Inputs with `exposures` exposures each, the same on every machine. They have the members the
 * service writes: sources that repeat, passwords seen twice, and a signal for every eight
 * exposures.
 */
export function inputsWith(exposures: number): readonly EmailInput[] {
  const random = randomFrom(exposures + 1)
  return Array.from({ length: INPUTS }, () => inputOf(exposures, random))
}

type Random = (below: number) => number

function inputOf(exposures: number, random: Random): EmailInput {
  return {
    as_of: "2026-11-15",
    checked: { sources: 14, newestImport: "2026-11-02" },
    exposures: Array.from({ length: exposures }, () => exposureOf(random)),
    signals: Array.from({ length: Math.floor(exposures / 8) }, () => signalOf(random)),
    trust: {
      emailAge: random(4000),
      free: true,
      disposable: false,
      masked: false,
      role: false,
      typosquat: false,
      toxicDomain: false,
      traces: random(4),
      handle: random(120) / 100 - 0.6,
    },
    coverage: { credential: 1, darkweb: 1, trust: 0.6, bot: 0 },
  }
}

function exposureOf(random: Random): Exposure {
  return {
    kind: oneOf(EXPOSURE_KINDS, random),
    source: `source ${random(40)}`,
    item: "",
    age: random(3000),
    secret: oneOf(SECRETS, random),
    conf: 0.5 + random(50) / 100,
    classes: random(3) === 0 ? ["phone", "address"] : [],
    pwFp: random(2) === 0 ? random(16).toString(16).padStart(3, "0") : undefined,
  }
}

function signalOf(random: Random): Signal {
  return {
    type: oneOf(SIGNAL_TYPES, random),
    source: `source ${random(40)}`,
    item: "",
    age: random(700),
    conf: 0.9,
  }
}

function oneOf<T>(values: readonly T[], random: Random): T {
  return values[random(values.length)] as T
}

/**
 * A linear congruential generator with the constants of glibc: repeatable, and good enough to vary
 * inputs.
 */
function randomFrom(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}
