// A real SMTP server for tests, which keeps the letters it takes.
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { SMTPServer } from "smtp-server"

export interface TakenLetter {
  readonly from: string
  readonly to: readonly string[]
  /** Headers and text, as they came. */
  readonly source: string
}

export interface MailServer extends AsyncDisposable {
  readonly url: string
  readonly letters: TakenLetter[]
  /** From here on every letter is refused. */
  refuse(): void
}

export async function startMailServer(): Promise<MailServer> {
  const letters: TakenLetter[] = []
  let refuses = false
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    onAuth: ({ username, password }, _session, done) =>
      username === "assay" && password === "p:ss"
        ? done(null, { user: username })
        : done(new Error("wrong password")),
    onData(stream, session, done) {
      void text(stream).then((source) => {
        if (refuses) {
          done(new Error("no room for canary-of-the-mail-server"))
          return
        }
        const { mailFrom, rcptTo } = session.envelope
        letters.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          source,
        })
        done()
      })
    },
  })
  server.listen(0, "127.0.0.1")
  await once(server.server, "listening")
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://assay:p%3Ass@127.0.0.1:${port}`,
    letters,
    refuse: () => void (refuses = true),
    [Symbol.asyncDispose]: async () => await new Promise<void>((done) => server.close(done)),
  }
}
