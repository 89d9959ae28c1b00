import type { Command } from "commander"
import type { NewIdentityOptions } from "./drop-identity.ts"
import type { InboxOptions, OpenOptions, ReplyOptions } from "./drop-inbox.ts"
import type { ResealOptions } from "./drop-reseal.ts"
import type { SyncOptions } from "./drop-sync.ts"
import type { Shell } from "./terminal.ts"

/** The anonymous drop. */
export function dropCommands(assay: Command, { terminal, process }: Shell): void {
  const drop = assay
    .command("drop")
    .description("the anonymous drop: its keys, and what its recipients do on their own machines")
  const dropKeys = drop.command("keys").description("the public keys that messages are sealed to")
  dropKeys
    .command("add <key...>")
    .description("seal to these keys too: age1…, or files of public keys")
    .action(async (keys: string[]) => (await import("./drop-keys.ts")).addDropKeys(keys, terminal))
  dropKeys
    .command("list")
    .description("print the keys and the words that stand for them")
    .action(async () => (await import("./drop-keys.ts")).listDropKeys(terminal))
  dropKeys
    .command("rotate <old> <new>")
    .description("add the new key; with --remove, after resealing, take the old one away")
    .option("--remove", "the messages are sealed anew: remove the old key")
    .action(async (old: string, successor: string, options: { remove?: boolean }) =>
      (await import("./drop-keys.ts")).rotateDropKey(old, successor, options, terminal),
    )
  dropKeys
    .command("remove <key>")
    .description("seal to a key no more")
    .option("--yes", "also where it is the last one")
    .action(async (key: string, options: { yes?: boolean }) =>
      (await import("./drop-keys.ts")).removeDropKey(key, options, terminal),
    )
  drop
    .command("new-identity <file>")
    .description("make a secret key in a new file and print the public one; for recipients")
    .option("--passphrase-file <file>", "file with the passphrase (default: it is asked for)")
    .option("--unlocked", "no passphrase: whoever copies the file can open messages")
    .option("--pq", "a post-quantum key; every recipient needs age 1.3 or later")
    .action(async (file: string, options: NewIdentityOptions) =>
      (await import("./drop-identity.ts")).makeIdentity(file, options, terminal, process),
    )
  const inFolder = (command: Command): Command =>
    command.option("--into <folder>", "folder with the sealed messages", "assay-drop")
  const withService = (command: Command): Command =>
    inFolder(command)
      .requiredOption("--token-file <file>", "file with the operator's token")
      .option("--url <url>", "where the service is", "http://127.0.0.1:8080")
  const withIdentity = (command: Command): Command =>
    command
      .requiredOption("--identity <file>", "identity file; it stays on this machine")
      .option("--passphrase-file <file>", "file with its passphrase (default: it is asked for)")
  withService(drop.command("sync"))
    .description("send what waits and fetch what is new, all at once, sealed")
    .option("--now", "send what waits at once, instead of 30 minutes after the last of it")
    .action(async (options: SyncOptions) =>
      (await import("./drop-sync.ts")).syncDrop(options, terminal),
    )
  withIdentity(withService(drop.command("reseal")))
    .description(
      "seal all messages to the keys in use now, after keys were added or before one goes",
    )
    .action(async (options: ResealOptions) =>
      (await import("./drop-reseal.ts")).resealMessages(options, terminal, process),
    )
  withIdentity(inFolder(drop.command("list")))
    .description("open all messages and print them by thread")
    .action(async (options: InboxOptions) =>
      (await import("./drop-inbox.ts")).listMessages(options, terminal, process),
    )
  withIdentity(inFolder(drop.command("open <id>")))
    .description("print a message; its files are written only with --to")
    .option("--to <folder>", "new or empty folder for the message and its files")
    .action(async (id: string, options: OpenOptions) =>
      (await import("./drop-inbox.ts")).openMessageOf(id, options, terminal, process),
    )
  withIdentity(inFolder(drop.command("reply <id>")))
    .description("seal a reply from a file or the standard input; npx assay drop sync sends it")
    .option("--message-file <file>", "file with the text (default: the standard input)")
    .option("--attach <file>", "a small file to send with it")
    .option("--keep-metadata", "leave the file as it is")
    .action(async (id: string, options: ReplyOptions) =>
      (await import("./drop-inbox.ts")).replyTo(id, options, terminal, process),
    )
  inFolder(drop.command("delete <id>"))
    .description("delete a message here and on the server; npx assay drop sync does it")
    .action(async (id: string, options: { into: string }) =>
      (await import("./drop-inbox.ts")).deleteMessage(id, options, terminal),
    )
}
