import { readRepositoryJson } from "../repository.ts"
import { counted, lines, table } from "./page.ts"

interface Machine {
  readonly system: string
  readonly processor: string
  readonly cores: number
  readonly memoryGibibytes: number
}
interface CorpusResult {
  readonly machine: Machine
  readonly options: { readonly rows: number; readonly large: number }
  readonly aims: readonly { readonly what: string; readonly figure: number }[]
}
interface HttpResult {
  readonly medians: Readonly<
    Record<
      string,
      {
        /** At constant rates a second; null where the server could not keep one. */
        readonly paced: Readonly<Record<string, { readonly cpuMicrosPerRequest: number } | null>>
      }
    >
  >
}

/** One service: with its own stores, or so many nodes on engines. */
interface ScaleServed {
  readonly name: string
  readonly requestsPerSecond: number
  readonly cpuMicrosPerRequest: Readonly<
    Record<"nodes" | "PostgreSQL" | "cluster" | "nginx", number>
  >
}
interface ScaleResult {
  readonly machine: { readonly loadAverage: readonly number[] }
  readonly figures: ScaleFigures
}
interface ScaleFigures {
  readonly served: readonly ScaleServed[]
  readonly memory: { readonly identities: number; readonly bytesEach: number }
  readonly lookups: { readonly p50Micros: number; readonly p99Micros: number }
}

/** What a plain exposure adds to an identity that is there already: `stores/entry.ts`. */
const ENTRY_BYTES = 9
const EXPOSURES = [10e6, 100e6, 1e9, 5e9, 20e9]
const PER_IDENTITY = [1, 5]
const RATES = [500, 2000, 5000, 10_000]
/** The share of its cores that a service is planned to use. */
const USED = 0.5
/** The rate at which a request was measured. At lower ones it costs more, and cores are idle. */
const PACE = 5000

export function capacityPage(): string {
  const corpus = readRepositoryJson("bench/results/corpus.json") as CorpusResult
  const http = readRepositoryJson("bench/results/http.json") as HttpResult
  const scale = readRepositoryJson("bench/results/scale.json") as ScaleResult
  const { machine, options } = corpus
  const figure = (what: string): number => {
    const found = corpus.aims.find((aim) => aim.what === what)
    if (found === undefined) throw new Error(`bench/results/corpus.json has no "${what}"`)
    return found.figure
  }
  const micros = (server: string): number => {
    const found = http.medians[server]?.paced[PACE]
    if (found == null) throw new Error(`bench/results/http.json has no "${server}" at ${PACE}/s`)
    return Math.round(found.cpuMicrosPerRequest)
  }
  const identityBytes = round(figure("index after 5 imports, bytes an identity"))
  const compacted = round(figure("index after compaction, bytes an identity"))
  const importSeconds = round(figure("Assay import, s"))
  const rowsASecond = Math.round(options.rows / importSeconds)
  const furtherSeconds = round(figure("a tenth more, Assay, s"))
  const further = `${counted(Math.round(options.rows / 10 / furtherSeconds))} = ${counted(options.rows / 10)} / ${furtherSeconds} s`
  const [email, phone] = [micros("email-2"), micros("phone-2")]
  return lines(
    "# Capacity",
    `What one machine needs, by arithmetic on figures that were measured: \`bench/results/corpus.json\` and \`bench/results/http.json\`, on ${machine.system} with ${machine.cores} cores of ${machine.processor.replaceAll("(R)", "")} and ${machine.memoryGibibytes} GiB. The largest index that was measured has ${counted(options.large)} identities; everything larger is multiplied, not tried. Run \`npm run bench -- corpus\` and \`npm run bench -- http\` on your machine and \`npm run docs\` for figures of your own.`,
    "## Disk and import",
    table(
      ["Measured", "Figure"],
      [
        ["index, compacted, bytes an identity", compacted],
        ["index after five imports, bytes an identity", identityBytes],
        [
          "a further plain exposure of the same identity, bytes (by the format of entries)",
          ENTRY_BYTES,
        ],
        [
          "import into an empty index, rows a second",
          `${counted(rowsASecond)} = ${counted(options.rows)} / ${importSeconds} s`,
        ],
        [`import of a tenth more into that index, rows a second`, further],
        [
          `look-up p50 in an index of ${counted(options.large)}, in memory, µs`,
          round(figure(`look-up p50 with ${options.large} identities, µs`)),
        ],
      ],
    ),
    `identities = exposures / exposures an identity; index = identities × (${identityBytes} + (exposures an identity - 1) × ${ENTRY_BYTES}); room = 2 × index, since a compaction writes it anew beside the one in use; import = exposures / ${counted(rowsASecond)} a second, all at once into an empty index. What comes later takes longer a row, since an import of a hundredth of the index or more writes all of it anew: plan with large imports, or with the lower figure. An identity keeps 256 exposures, so more of them cost nothing.`,
    table(
      [
        "Exposures",
        "Exposures an identity",
        "Identities",
        "Index, GB",
        "Room on the disk, GB",
        "Import at once, hours",
      ],
      EXPOSURES.flatMap((exposures) =>
        PER_IDENTITY.map((each) => {
          const identities = exposures / each
          const bytes = identities * (identityBytes + (each - 1) * ENTRY_BYTES)
          return [
            counted(exposures),
            each,
            counted(identities),
            amount(bytes / 1e9),
            amount((2 * bytes) / 1e9),
            amount(exposures / rowsASecond / 3600),
          ]
        }),
      ),
    ),
    "Not in these figures: segments, which keep what was imported; decisions, which have their own [retention](retention.md); the working space of an import, up to four times its input for a while. A look-up in an index that does not fit into memory reads from the disk; that was not measured.",
    "## Processor",
    table(
      [
        `Measured at ${counted(PACE)} requests a second, two workers`,
        "CPU µs a request",
        "Requests a second of a core",
      ],
      [
        ["single score of an e-mail address", email, counted(Math.floor(1e6 / email))],
        ["single score of a phone number", phone, counted(Math.floor(1e6 / phone))],
      ],
    ),
    `cores = requests a second × CPU µs / 1,000,000 / ${USED}: half of them stay free for bursts, imports and compactions. Set \`ASSAY_WORKERS\` to the cores. More than two workers were not measured here, and one primary counts for all of them; look-ups over the network and providers cost more.`,
    table(
      ["Requests a second", "Cores for e-mail addresses", "Cores for phone numbers"],
      RATES.map((rate) => [counted(rate), coresFor(rate, email), coresFor(rate, phone)]),
    ),
    ...ofSeveralNodes(scale.figures, scale.machine),
  )
}

/** What a cluster and nodes that share it need, by `npm run bench -- scale`. */
function ofSeveralNodes(
  { served, memory, lookups }: ScaleFigures,
  { loadAverage }: ScaleResult["machine"],
): string[] {
  const bytes = Math.ceil(memory.bytesEach)
  const memoryOf = (identities: number, copies: number): string =>
    amount((identities * bytes * copies) / 1e9)
  return [
    "## Several nodes",
    `Measured by \`npm run bench -- scale\` (\`bench/results/scale.md\`), all on the cores of one machine whose load was ${loadAverage[0]} before it began: what a request costs each part is what to plan with, and not how many one machine answered. A cluster takes ${bytes} bytes of memory an identity, measured with ${counted(memory.identities)} of them, and as much again with each replica; one more exposure of an identity adds ${ENTRY_BYTES}. A look-up there took ${Math.round(lookups.p50Micros)} µs (p50), ${Math.round(lookups.p99Micros)} µs (p99).`,
    table(
      ["Service", "CPU of nodes", "of PostgreSQL", "of the cluster", "of nginx"],
      served.map(({ name, cpuMicrosPerRequest: { nodes, PostgreSQL, cluster, nginx } }) => [
        name,
        ...[nodes, PostgreSQL, cluster, nginx].map((each) =>
          each === 0 ? "" : `${Math.round(each)} µs a request`,
        ),
      ]),
    ),
    `memory of the cluster = identities × (${bytes} + (exposures an identity - 1) × ${ENTRY_BYTES}) × (1 + replicas); no primary should have more than half of its machine's.`,
    table(
      ["Identities", "Memory without replicas, GB", "With one, GB", "With two, GB"],
      EXPOSURES.map((identities) => [
        counted(identities),
        ...[1, 2, 3].map((copies) => memoryOf(identities, copies)),
      ]),
    ),
  ]
}

const round = (value: number): number => Number(value.toFixed(2))
const amount = (value: number): string => counted(Number(value.toPrecision(3)))
const coresFor = (rate: number, micros: number): number => Math.ceil((rate * micros) / 1e6 / USED)
