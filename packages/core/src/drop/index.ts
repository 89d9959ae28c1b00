export { type AgeHeader, type AgeHeaderFault, headerSize, readAgeHeader } from "./age-header.ts"
export {
  type FileToPack,
  type MessageToPack,
  type OpenedFile,
  type OpenedMessage,
  packMessage,
  packReply,
  type ReplyToPack,
  unpackMessage,
} from "./envelope.ts"
export { EnvelopeFault, type EnvelopeFaultCode } from "./envelope-fault.ts"
export { attachmentName, keptName } from "./file-names.ts"
export { fingerprint } from "./fingerprint.ts"
export {
  IdentityFault,
  isLocked,
  newIdentityFile,
  type NewIdentityFile,
  readIdentities,
} from "./identity-file.ts"
export {
  EFFORT_MAX,
  effortText,
  FILE_MAX,
  FILES_MAX,
  MAILBOX_SLOTS,
  MESSAGE_MAX,
  WITHDRAWABLE,
} from "./limits.ts"
export { inReplyOrder, mailboxFiles } from "./mailbox.ts"
export {
  type Manifest,
  type ManifestFile,
  type MetadataState,
  type Mode,
  ORDER_MAX,
  type SealedBy,
  type ThreadAddress,
} from "./manifest.ts"
export {
  emptyNote,
  LABEL_MAX,
  LABELS_MAX,
  mergeNotes,
  type Note,
  NOTE_TEXT_MAX,
  packNote,
  unpackNote,
} from "./note.ts"
export { openMessage } from "./envelope.ts"
export { allowedSizes, classOf, sealedSize, SIZE_CLASSES, SMALLEST_CLASS } from "./padding.ts"
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
export { contentMark, reseal, type Resealed, sealedBody } from "./reseal.ts"
export { open, type Progress, recipientOf, replyRecipients, seal, sealInPieces } from "./seal.ts"
export {
  packSeen,
  readSeen,
  remembered,
  type Seen,
  type SeenMessage,
  strangeness,
  type Strange,
  unpackSeen,
  withRead,
} from "./seen.ts"
export { shownText } from "./shown-text.ts"
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
  threadAddress,
  threadKeys,
  type ThreadKeys,
  verifierOf,
  withdrawToken,
} from "./thread-keys.ts"
export { groupThreads, type Thread, type ThreadMessage, threadName, threadOf } from "./threads.ts"
