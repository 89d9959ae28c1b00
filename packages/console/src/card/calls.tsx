import { Tabs } from "@mantine/core"
import type { ReactElement } from "react"
import { Copy } from "../ui/copy.tsx"

export interface Call {
  readonly path: string
  readonly body: object
  /** The key to show in the calls; null: the name of a variable. */
  readonly apiKey: string | null
}

/** The answer as it came, and the same call in three languages. */
export function Calls(props: {
  readonly answer: object
  readonly call: Call | null
}): ReactElement {
  const { answer, call } = props
  const calls: readonly [name: string, text: string][] =
    call === null
      ? []
      : [
          ["curl", curl(call)],
          ["TypeScript", typescript(call)],
          ["Python", python(call)],
        ]
  const texts = [["JSON", JSON.stringify(answer, null, 2)] as const, ...calls]
  return (
    <Tabs defaultValue="JSON" keepMounted={false}>
      <Tabs.List aria-label="The same call">
        {texts.map(([name]) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {texts.map(([name, text]) => (
        <Tabs.Panel key={name} value={name} pt="sm">
          <div className="copy-corner">
            <Copy text={text} what={name} />
          </div>
          <pre className="code" tabIndex={0}>
            {text}
          </pre>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

/** The call for a shell. */
export function curl({ path, body, apiKey }: Call): string {
  return [
    `curl -s ${location.origin}${path}`,
    `-H "Authorization: Bearer ${apiKey ?? "$ASSAY_API_KEY"}"`,
    `-H "Content-Type: application/json"`,
    `-d '${JSON.stringify(body)}'`,
  ].join(" \\\n  ")
}

function typescript({ path, body, apiKey }: Call): string {
  const key = apiKey === null ? "process.env.ASSAY_API_KEY" : JSON.stringify(apiKey)
  const [value] = Object.values(body) as [string]
  const method = path.includes("phone") ? "scorePhone" : "scoreEmail"
  return `import { createClient } from "@assay/client"

const assay = createClient({ baseUrl: "${location.origin}", apiKey: ${key} })
const result = await assay.${method}(${JSON.stringify(value)})
console.log(result.risk_score, result.risk_reasons)`
}

function python({ path, body, apiKey }: Call): string {
  const key = apiKey === null ? 'os.environ["ASSAY_API_KEY"]' : JSON.stringify(apiKey)
  const first = apiKey === null ? "import json, os, urllib.request" : "import json, urllib.request"
  return `${first}

request = urllib.request.Request(
    "${location.origin}${path}",
    data=json.dumps(${JSON.stringify(body)}).encode(),
    headers={"Authorization": "Bearer " + ${key}, "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as response:
    print(json.load(response)["risk_score"])`
}
