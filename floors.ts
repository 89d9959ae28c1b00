// Who may import whom, in one table: oxlint.config.ts and tests/packages/floors.test.ts hold the
// code to it.

/** The packages of this repository that each may import. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  core: [],
  runtime: ["core"],
  client: ["core"],
  stores: ["core", "runtime"],
  drop: ["core", "runtime"],
  carrier: ["core", "runtime"],
  corpus: ["core", "runtime", "stores"],
  server: ["core", "runtime", "client", "stores", "drop", "carrier", "corpus"],
  console: ["core", "client"],
}

/**
 * The folders of each package, from the ground up. A folder imports only folders of lower floors;
 * those of one floor do not know each other. `.` is the package's `src` itself.
 */
export const floors: Readonly<Record<string, readonly (readonly string[])[]>> = {
  core: [["identity", "drop", "drop/metadata"], ["score"], ["contract"]],
  runtime: [["."], ["outbound"]],
  client: [["."]],
  stores: [
    ["records-migrations"],
    ["."],
    ["embedded", "lmdb", "postgres", "redis", "sqlite"],
    ["open"],
  ],
  drop: [["pages/texts"], ["pages", "store", "browser"], ["."], ["sealer"], ["run"]],
  carrier: [["."]],
  corpus: [["inputs"], ["segments"], ["formats"], ["engine"], ["."]],
  server: [
    ["settings"],
    ["base", "score/providers"],
    ["accounts", "score/providers/camara", "score/providers/twilio"],
    ["http"],
    ["score", "score/email/lists", "intake", "people/oidc", "sinks/formats"],
    ["score/email", "score/email/network", "score/phone", "sinks/destinations"],
    [
      "audit",
      "decisions",
      "demo",
      "events",
      "evidence",
      "feedback",
      "health",
      "imports",
      "inbox",
      "keys",
      "lists",
      "model-tools",
      "notifications",
      "pages",
      "people",
      "policy",
      "review",
      "score/many",
      "shared-signals",
      "signup",
      "sinks",
      "sources",
      "subjects",
      "tenants",
      "usage",
      "views",
      "watch",
      "webhooks",
    ],
    ["run", "upkeep"],
    ["cli"],
    ["."],
  ],
  console: [
    ["inbox", "ui"],
    ["inbox/views", "card", "work"],
    ["decision"],
    [
      "account",
      "audit",
      "batch",
      "corpus",
      "decisions",
      "events",
      "health",
      "keys",
      "lists",
      "members",
      "overview",
      "playground",
      "policy",
      "review",
      "settings",
      "shared-signals",
      "sign-in",
      "sign-up",
      "sinks",
      "sources",
      "subjects",
      "tenants",
      "usage",
      "watch-list",
      "webhooks",
    ],
    ["."],
  ],
}

/**
 * The rule for each folder, for the linter. It sees every `import` and `export … from`; the
 * test sees circles too, and programs that are named by their path.
 */
export const floorRules = Object.entries(floors).flatMap(([name, levels]) =>
  levels.flatMap((rooms, floor) =>
    rooms.map((room) => ({
      files: [`packages/${name}/src/${room === "." ? "" : `${room}/`}*.{ts,tsx}`],
      excludeFiles: ["**/*.test.ts"],
      rules: { "no-restricted-imports": restricting(restrictions(name, room, floor)) },
    })),
  ),
)

/** As a linter's configuration has it. */
function restricting(patterns: readonly Restriction[]): ["error", object] {
  return ["error", { patterns }]
}

interface Restriction {
  readonly regex: string
  readonly message: string
}

function restrictions(name: string, room: string, floor: number): Restriction[] {
  const known = packages[name] ?? []
  const strangers = Object.keys(packages).filter((each) => each !== name && !known.includes(each))
  const above = (floors[name] ?? []).slice(floor).flat()
  return [
    {
      regex: `^@assay/(${[name, ...strangers].join("|")})(/|$)`,
      message: `The package ${name} imports only what floors.ts names, and itself by relative paths.`,
    },
    ...above
      .filter((each) => each !== room)
      .map((each) => ({
        regex: `^${relativePath(room, each).replaceAll(".", "\\.")}/[^/]+$`,
        message: `${room} imports only lower floors (floors.ts); ${each} is not below it.`,
      })),
  ]
}

function relativePath(from: string, to: string): string {
  const parts = (room: string): string[] => (room === "." ? [] : room.split("/"))
  const [here, there] = [parts(from), parts(to)]
  let shared = 0
  while (shared < here.length && here[shared] === there[shared]) shared++
  const up = here.slice(shared).map(() => "..")
  return [...(up.length === 0 ? ["."] : up), ...there.slice(shared)].join("/")
}
