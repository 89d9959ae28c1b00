// Uploads of files to import, whole and under way, for tests.
import assert from "node:assert/strict"
import { connect, type Socket } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import type { ImportList, ImportState } from "@assay/core/contract"
import type { Service } from "./service.ts"
import type { Visitor } from "./signed-in.ts"

/** What a browser sends with a file. */
export function uploadHeaders(service: Service, as: Visitor): Record<string, string> {
  return {
    cookie: [...as.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    origin: `http://localhost:${service.port}`,
    "x-csrf-token": as.csrf,
    "content-type": "application/octet-stream",
  }
}

export async function imports(as: Visitor): Promise<ImportList> {
  const { status, body } = await as.send<ImportList>("GET", "/api/v1/corpus/imports")
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

export type Body = Readonly<Record<string, unknown>>

/** Sends a file as an administrator's browser does. */
export async function sends(
  service: Service,
  as: Visitor,
  path: string,
  file: Uint8Array<ArrayBuffer>,
): Promise<{ status: number; body: Body }> {
  const response = await fetch(service.baseUrl + path, {
    method: "POST",
    headers: uploadHeaders(service, as),
    body: file,
  })
  return { status: response.status, body: (await response.json()) as Body }
}

/** The newest import, once it has ended. */
export async function ended(as: Visitor): Promise<ImportState> {
  for (;;) {
    const [newest] = (await imports(as)).imports
    if (newest !== undefined && newest.state !== "running") return newest
    await delay(200)
  }
}

/** Whether the service knows an address from the corpus. It decides about it by that. */
export async function isExposed(service: Service, email: string, key?: string): Promise<boolean> {
  const answer = await service.request("/api/v1/risk/score", {
    json: { email },
    ...(key !== undefined && { key }),
  })
  assert.equal(answer.status, 200)
  return ((await answer.json()) as { exposed: boolean }).exposed
}

/** An upload that has sent half of a file and waits. */
export async function halfSent(
  service: Service,
  as: Visitor,
  source: string,
  file: Buffer,
): Promise<Socket> {
  const socket = connect(service.port, "127.0.0.1")
  const headers = Object.entries({
    ...uploadHeaders(service, as),
    host: `localhost:${service.port}`,
    "content-length": String(file.length),
  }).map(([name, value]) => `${name}: ${value}`)
  // A service that is killed cuts it off.
  socket.on("error", () => undefined)
  socket.write(`POST /api/v1/corpus/imports?source=${source} HTTP/1.1\r\n`)
  socket.write(`${headers.join("\r\n")}\r\n\r\n`)
  socket.write(file.subarray(0, Math.floor(file.length / 2)))
  for (;;) {
    const [newest] = (await imports(as)).imports
    if (newest?.source === source && newest.phase !== "starting") return socket
    await delay(100)
  }
}
