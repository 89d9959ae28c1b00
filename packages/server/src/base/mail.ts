import type { Log } from "@assay/runtime/log"
import type { MailSettings } from "./config.ts"

export interface Letter {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Sends one letter; false where the mail server did not take it. */
export type SendMail = (letter: Letter) => Promise<boolean>

const CONNECT_MS = 10_000
const ANSWER_MS = 20_000
const LOCAL = new Set(["localhost", "127.0.0.1", "[::1]"])

/**
 * Mail over SMTP. The library is loaded with the first letter: most services send none, and no
 * start should wait for it. A letter is given up after seconds and never kept for later, since it
 * holds a token.
 */
export function openMail({ smtpUrl, from }: MailSettings, log: Pick<Log, "warn">): SendMail {
  return async ({ to, subject, text }) => {
    const { createTransport } = await import("nodemailer")
    const { hostname, protocol, port, username, password } = new URL(smtpUrl)
    const transport = createTransport({
      host: hostname.replace(/^\[|\]$/g, ""),
      port: port === "" ? (protocol === "smtps:" ? 465 : 587) : Number(port),
      secure: protocol === "smtps:",
      requireTLS: protocol === "smtp:" && !LOCAL.has(hostname),
      ...(username === ""
        ? {}
        : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: ANSWER_MS,
      // Only texts of ours are sent: nothing is read from a disk or fetched for a letter.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    try {
      await transport.sendMail({
        from,
        to: { name: "", address: to },
        subject,
        text,
        headers: { "auto-submitted": "auto-generated" },
      })
      return true
    } catch (thrown) {
      // What a mail server says may repeat the address, so only its numbers are logged.
      const { code, responseCode } = (thrown ?? {}) as { code?: string; responseCode?: number }
      const error = new Error(`SMTP ${code ?? "failed"}, answer ${responseCode ?? "none"}`)
      log.warn("a mail could not be sent", { error })
      return false
    } finally {
      transport.close()
    }
  }
}
