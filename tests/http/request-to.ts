export interface ServiceRequest extends RequestInit {
  /** The key to send: the demo key unless given; null sends none. */
  readonly key?: string | null
  /** Sent as the body of a POST. */
  readonly json?: unknown
}

/** Sends a request to a service, with the given key unless it names one of its own. */
export function requestTo(
  baseUrl: string,
  ownKey: string | null,
  path: string,
  { key = ownKey, json, headers: given, ...init }: ServiceRequest = {},
): Promise<Response> {
  const headers = new Headers(given)
  if (key !== null && !headers.has("authorization")) headers.set("authorization", `Bearer ${key}`)
  if (json === undefined) return fetch(baseUrl + path, { ...init, headers })
  if (!headers.has("content-type")) headers.set("content-type", "application/json")
  return fetch(baseUrl + path, { method: "POST", ...init, headers, body: JSON.stringify(json) })
}
