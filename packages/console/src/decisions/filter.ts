import type { DecisionFilter, DecisionViewFilter } from "@assay/client"
import { actionWords } from "../ui/band.tsx"
import { dayWords } from "../ui/time.tsx"

const STAGES = ["CLEAN", "LEAKED", "REPOSTED", "TRADED", "TESTED", "ATTACKED", "MONETIZED"]
const ACTIONS = ["allow", "step_up_auth", "review", "block"]

interface Choice {
  readonly value: string
  readonly label: string
}

interface Select {
  readonly name: "subject" | "band" | "stage" | "action"
  readonly label: string
  readonly choices: readonly Choice[]
}

/** What a list is narrowed by; each is a parameter of the page's address. */
export const SELECTS: readonly Select[] = [
  {
    name: "subject",
    label: "Kind",
    choices: [
      { value: "email", label: "Address" },
      { value: "phone", label: "Number" },
    ],
  },
  {
    name: "band",
    label: "Band",
    choices: ["critical", "high", "elevated", "low"].map((value) => ({
      value,
      label: `${value[0]?.toUpperCase() ?? ""}${value.slice(1)}`,
    })),
  },
  { name: "stage", label: "Stage", choices: STAGES.map((value) => ({ value, label: value })) },
  {
    name: "action",
    label: "Action",
    choices: ACTIONS.map((value) => ({ value, label: actionWords(value) })),
  },
]

const DAYS = [
  { name: "from", label: "From" },
  { name: "until", label: "To" },
] as const
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** The parameter for the id of a request, and what one may be. */
export const REQUEST = "request_id"
export const REQUEST_ID = /^[\w.:\-]{1,128}$/v

/**
 * Every parameter that narrows the list. A page of it, and whom it is about, are not among them.
 */
export const FILTERS = [
  ...SELECTS.map(({ name }) => name),
  ...DAYS.map(({ name }) => name),
  REQUEST,
]

/** The filter in an address; what it does not know is left out. */
export function filterIn(search: URLSearchParams): Record<string, string> {
  const chosen = SELECTS.flatMap(({ name, choices }) => {
    const value = search.get(name)
    return choices.some((choice) => choice.value === value) ? [[name, value ?? ""]] : []
  })
  const days = DAYS.flatMap(({ name }) => {
    const value = search.get(name) ?? ""
    return DAY.test(value) && !Number.isNaN(Date.parse(value)) ? [[name, value]] : []
  })
  const id = search.get(REQUEST) ?? ""
  const request = REQUEST_ID.test(id) ? [[REQUEST, id]] : []
  return Object.fromEntries([...chosen, ...days, ...request]) as Record<string, string>
}

/** As the service takes it. Days are whole days in UTC, the last one included. */
export function asked(filter: Readonly<Record<string, string>>): DecisionFilter {
  const { from, until, ...words } = filter
  return {
    ...words,
    ...(from !== undefined && { from: `${from}T00:00:00Z` }),
    ...(until !== undefined && { until: new Date(Date.parse(until) + 86_400_000).toISOString() }),
  }
}

/**
 * What a saved view keeps of it: the id of a request is of one occasion, and may be somebody's
 * number.
 */
export function viewOf(filter: Readonly<Record<string, string>>): DecisionViewFilter {
  const { [REQUEST]: _request, ...kept } = filter
  return asked(kept)
}

/** The same the other way round; a moment within a day is all of that day. */
export function filterOf({ from, until, ...words }: DecisionViewFilter): Record<string, string> {
  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
  return {
    ...words,
    ...(from !== undefined && { from: day(Date.parse(from)) }),
    ...(until !== undefined && { until: day(Date.parse(until) - 1) }),
  }
}

/** A filter in words, to be taken back one by one. */
export function chipsOf(filter: Readonly<Record<string, string>>): (Choice & { name: string })[] {
  return Object.entries(filter).map(([name, value]) => {
    const select = SELECTS.find((each) => each.name === name)
    const day = DAYS.find((each) => each.name === name)
    const words =
      name === REQUEST
        ? `Request ${value}`
        : select === undefined
          ? `${day?.label ?? name} ${dayWords(value)}`
          : `${select.label}: ${select.choices.find((choice) => choice.value === value)?.label ?? value}`
    return { name, value, label: words }
  })
}
