// A person at a browser, for tests: keeps cookies, sends the token of the session and its origin.
import assert from "node:assert/strict"
import type { Service } from "./service.ts"

export interface Answer<T = Record<string, unknown>> {
  readonly status: number
  readonly body: T & { readonly code?: string }
  readonly headers: Headers
}

export interface Visitor {
  readonly cookies: Map<string, string>
  csrf: string
  send<T = Record<string, unknown>>(
    method: string,
    path: string,
    json?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<T>>
}

export const PASSWORD = "ample-violet-harbour-41"

/** The token of the link that the service printed for the first administrator. */
export function printedToken(service: Pick<Service, "stdout">): string {
  const token = [...service.stdout().matchAll(/\/console\/join#([\w-]{43})/g)].at(-1)?.[1]
  assert.ok(token !== undefined, "no link was printed")
  return token
}

export const tokenIn = (link: string): string => link.split("#")[1] ?? ""

export function visitor(service: Pick<Service, "baseUrl" | "port">): Visitor {
  const cookies = new Map<string, string>()
  const self: Visitor = {
    cookies,
    csrf: "",
    async send<T>(
      method: string,
      path: string,
      json?: unknown,
      given: Record<string, string> = {},
    ): Promise<Answer<T>> {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
      const response = await fetch(service.baseUrl + path, {
        method,
        headers: {
          ...(cookie === "" ? {} : { cookie }),
          ...(method === "GET" ? {} : { origin: `http://localhost:${service.port}` }),
          ...(self.csrf === "" ? {} : { "x-csrf-token": self.csrf }),
          ...(json === undefined ? {} : { "content-type": "application/json" }),
          ...given,
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      })
      for (const line of response.headers.getSetCookie()) keep(cookies, line)
      const text = await response.text()
      const body = (text === "" ? {} : JSON.parse(text)) as Answer<T>["body"]
      const { csrf_token: csrf } = body as { csrf_token?: string }
      if (csrf !== undefined) self.csrf = csrf
      return { status: response.status, body, headers: response.headers }
    },
  }
  return self
}

/** Keeps a cookie as a browser does, or forgets one. */
export function keep(cookies: Map<string, string>, line: string): void {
  const [pair = "", ...attributes] = line.split(";").map((part) => part.trim())
  const [name = "", ...value] = pair.split("=")
  if (attributes.includes("Max-Age=0")) cookies.delete(name)
  else cookies.set(name, value.join("="))
}

/** Takes up an invitation with a password, as somebody new, and stays signed in. */
export async function joins(
  service: Pick<Service, "baseUrl" | "port">,
  token: string,
  email: string,
  password = PASSWORD,
): Promise<Visitor> {
  const browser = visitor(service)
  const name = email.split("@")[0] ?? ""
  const answer = await browser.send("POST", "/api/v1/join", { token, name, email, password })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return browser
}

/** Signs in with a password in a new browser, or in the one that is given. */
export async function signsIn(
  service: Pick<Service, "baseUrl" | "port">,
  email: string,
  { password = PASSWORD, browser = visitor(service) } = {},
): Promise<Visitor> {
  const answer = await browser.send("POST", "/api/v1/session", { email, password })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return browser
}
