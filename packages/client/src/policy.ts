import type {
  BackTestRequest,
  ComparisonLine,
  Policy,
  PolicyList,
  PolicyPreview,
  ShadowState,
} from "@assay/core/contract"
import { AssayUnavailable } from "./errors.ts"
import type { Failover } from "./failover.ts"
import { linesOf } from "./lines.ts"
import type { Settings } from "./options.ts"
import { type CallOptions, query, sender } from "./request.ts"
import { answerOf, isJsonObject, itemProblem, jsonObject, notAssays } from "./response.ts"
import { idIn, type Send } from "./sent.ts"

/** A policy's members, as the service describes them. */
export type PolicyDocument = Readonly<Record<string, unknown>>

/** A line of a comparison that did not fail. */
export type ComparedLine = Exclude<ComparisonLine, { readonly problem: unknown }>

/** What acts for the tenant, its history, and what would act. */
export interface PolicyCalls {
  get(options?: CallOptions): Promise<Policy>
  /** A page of versions, the newest first. */
  versions(before?: number, options?: CallOptions): Promise<PolicyList>
  version(version: number, options?: CallOptions): Promise<Policy>
  /**
   * Sets the whole policy; rejects with `policy-changed` unless `current` is the version that acts.
   */
  set(policy: PolicyDocument, current: number, options?: CallOptions): Promise<Policy>
  /** Lets an earlier version act again, as a new one. */
  revert(version: number, current: number, options?: CallOptions): Promise<Policy>
  /** What a policy would make of each score; it changes nothing. */
  preview(policy: PolicyDocument, options?: CallOptions): Promise<PolicyPreview>
  shadow(options?: CallOptions): Promise<ShadowState>
  setShadow(policy: PolicyDocument, options?: CallOptions): Promise<ShadowState>
  endShadow(options?: CallOptions): Promise<void>
  /** Lines of progress, of decisions that change, and one that sums up; rejects where it fails. */
  backTest(request: BackTestRequest, options?: CallOptions): AsyncGenerator<ComparedLine>
  reportShadow(days?: number, options?: CallOptions): AsyncGenerator<ComparedLine>
}

const tag = (version: number): Record<string, string> => ({ "if-match": `"${version}"` })

export function policyCalls(settings: Settings<Failover>, send: Send): PolicyCalls {
  return {
    get: (options) => send("GET", "/policy", "version", { options }),
    versions: (before, options) =>
      send("GET", `/policy/versions${query({ before })}`, "versions", { options }),
    version: (version, options) =>
      send("GET", `/policy/versions/${idIn(version)}`, "version", { options }),
    set: (body, current, options) =>
      send("PUT", "/policy", "version", { body, headers: tag(current), options }),
    revert: (version, current, options) =>
      send("POST", "/policy/revert", "version", {
        body: { version },
        headers: tag(current),
        options,
      }),
    preview: (body, options) => send("POST", "/policy/preview", "email", { body, options }),
    shadow: (options) => send("GET", "/policy/shadow", "shadow", { options }),
    setShadow: (body, options) => send("PUT", "/policy/shadow", "shadow", { body, options }),
    endShadow: async (options) => void (await send("DELETE", "/policy/shadow", null, { options })),
    backTest: (request, options) =>
      compared(settings, "POST", "/policy/backtest", JSON.stringify(request), options),
    reportShadow: (days, options) =>
      compared(settings, "GET", `/policy/shadow/report${query({ days })}`, null, options),
  }
}

/** It lasts as long as the service has lines: only the caller's own signal ends it before. */
async function* compared(
  settings: Settings<Failover>,
  method: "GET" | "POST",
  path: string,
  body: string | null,
  { signal, requestId }: CallOptions = {},
): AsyncGenerator<ComparedLine> {
  const send = sender(settings, { method, path: `/api/v1${path}`, requestId })
  const ending = new AbortController()
  const giveUp = (): void => ending.abort(signal?.reason)
  signal?.throwIfAborted()
  signal?.addEventListener("abort", giveUp)
  try {
    const response = await send(body, ending.signal)
    if (response.status !== 200 || response.body === null) await answerOf(response)
    let isWhole = false
    for await (const text of linesOf(response)) {
      const line = jsonObject(text)
      if (line === null) throw notAssays()
      if (isJsonObject(line["problem"])) throw itemProblem(line["problem"])
      isWhole = line["type"] === "summary"
      yield line as ComparedLine
    }
    if (!isWhole) throw new AssayUnavailable("network", "The response broke off", { status: 200 })
  } finally {
    signal?.removeEventListener("abort", giveUp)
    ending.abort()
  }
}
