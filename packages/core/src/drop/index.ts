export { fingerprint } from "./fingerprint.ts"
export {
  IdentityFault,
  isLocked,
  newIdentityFile,
  type NewIdentityFile,
  readIdentities,
} from "./identity-file.ts"
export { FILE_MAX, FILES_MAX, MAILBOX_SLOTS, MESSAGE_MAX, WITHDRAWABLE } from "./limits.ts"
export type {
  Manifest,
  ManifestFile,
  MetadataState,
  Mode,
  SealedBy,
  ThreadAddress,
} from "./manifest.ts"
export {
  readRecipients,
  type Recipients,
  RECIPIENTS_MAX,
  RecipientsFault,
  recipientsFile,
  type RecipientsFile,
  recipientsOf,
  type Suite,
  suiteOf,
} from "./recipients.ts"
export {
  CODE_WORDS,
  type CodeFault,
  codeNumbers,
  codeWords,
  newSecret,
  readCode,
  SECRET_BYTES,
  WORD_LANGUAGES,
  type WordLanguage,
  type WordList,
} from "./thread-code.ts"
export {
  DROP_ID_BYTES,
  mailboxTag,
  threadKeys,
  type ThreadKeys,
  verifierOf,
  withdrawToken,
} from "./thread-keys.ts"
