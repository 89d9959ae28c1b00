import type { BrowserContext } from "playwright-core"

/** Gives a browser the cookies that somebody got from the service on this port. */
export async function useCookies(
  context: BrowserContext,
  port: number,
  cookies: ReadonlyMap<string, string>,
): Promise<void> {
  // A browser takes cookies of this name for https alone; on localhost it also sends them over
  // http.
  const flags = { url: `https://localhost:${port}`, secure: true, httpOnly: true }
  await context.addCookies(
    [...cookies].map(([name, value]) => ({ name, value, sameSite: "Strict" as const, ...flags })),
  )
}
