// Somebody's browser on its way to a provider of single sign-on and back, step by step.
import assert from "node:assert/strict"
import type { Service } from "./service.ts"
import { CALLBACK } from "./sign-in-provider.ts"
import { keep, visitor, type Visitor } from "./signed-in.ts"

export interface OidcBrowser {
  /** Of the service. */
  readonly visitor: Visitor
  /** Begins; where the browser is sent. */
  start(): Promise<string>
  /** Signs in at the provider; where the browser is sent back to. */
  atProvider(url: string): Promise<string>
  /** What the page that completes the sign-in has in its form. */
  comeBack(url: string): Promise<string>
  complete(returned: string, headers?: Record<string, string>): Promise<Outcome>
  /** All of it. */
  signIn(): Promise<Outcome>
}

export interface Outcome {
  readonly status: number
  readonly code: string | undefined
  readonly headers: Headers
}

export const START = "/console/sign-in/oidc"
export const COMPLETE = "/console/sign-in/oidc/complete"

export function originOf({ port }: Pick<Service, "port">): string {
  return `http://localhost:${port}`
}

export function oidcBrowser(service: Service): OidcBrowser {
  const own = visitor(service)
  const atProvider = new Map<string, string>()
  const origin = originOf(service)
  const visit = async (url: string, cookies: Map<string, string>): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(url, { redirect: "manual", headers: { cookie } })
    for (const line of response.headers.getSetCookie()) keep(cookies, line)
    return response
  }
  const self: OidcBrowser = {
    visitor: own,
    async start() {
      const response = await visit(origin + START, own.cookies)
      assert.equal(response.status, 302, await response.text())
      return response.headers.get("location") ?? ""
    },
    async atProvider(url) {
      let next = url
      for (let hops = 0; hops < 10; hops++) {
        const response = await visit(next, atProvider)
        const text = await response.text()
        assert.equal(response.status, 303, text)
        next = new URL(response.headers.get("location") ?? "", next).href
        if (next.startsWith(origin)) return next
      }
      throw new Error("The provider sends the browser round and round")
    },
    async comeBack(url) {
      const response = await visit(url, own.cookies)
      const text = await response.text()
      assert.equal(response.status, 200, text)
      assert.equal(response.headers.getSetCookie().length, 0)
      return /name="return" value="([\w-]+)"/.exec(text)?.[1] ?? ""
    },
    async complete(returned, headers = {}) {
      const cookie = [...own.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
      const response = await fetch(origin + COMPLETE, {
        method: "POST",
        redirect: "manual",
        headers: { cookie, origin, "sec-fetch-site": "same-origin", ...headers },
        body: new URLSearchParams({ return: returned }),
      })
      for (const line of response.headers.getSetCookie()) keep(own.cookies, line)
      return { ...(await problemIn(response)), headers: response.headers }
    },
    async signIn() {
      const url = await self.atProvider(await self.start())
      assert.ok(url.startsWith(origin + CALLBACK))
      return await self.complete(await self.comeBack(url))
    },
  }
  return self
}

/** The status of an answer, and its code where it is a problem. */
export async function problemIn(
  response: Response,
): Promise<{ status: number; code: string | undefined }> {
  const text = await response.text()
  const isProblem = response.headers.get("content-type")?.startsWith("application/problem") === true
  return {
    status: response.status,
    code: isProblem ? (JSON.parse(text) as { code: string }).code : undefined,
  }
}
