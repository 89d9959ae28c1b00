export { FILE_MAX, FILES_MAX, MAILBOX_SLOTS, MESSAGE_MAX, WITHDRAWABLE } from "./limits.ts"
export type {
  Manifest,
  ManifestFile,
  MetadataState,
  Mode,
  SealedBy,
  ThreadAddress,
} from "./manifest.ts"
export type { Recipients, Suite } from "./recipients.ts"
export { SECRET_BYTES, WORD_LANGUAGES, type WordLanguage, type WordList } from "./thread-code.ts"
