/**
 * What a test of the drop proves, and which part of it cannot be shown on the machine that runs the
 * suites.
 */
export interface DropTest {
  readonly proves: string
  /** What runs in another form, elsewhere or only in a long run. */
  readonly limit?: string
  /** Why no suite holds it. */
  readonly notRun?: string
}

/**
 * Every test of drop/v1 by its number. A number without a test in the suites must give the reason.
 */
export const dropTests: Readonly<Record<`T${number}`, DropTest>> = {
  T1: {
    proves: "The vectors of the key schedule hold in browser, server and a second implementation",
  },
  T2: { proves: "All test vectors of age open, or are refused, as its authors say" },
  T3: {
    proves:
      "A message of three files of 10 MiB, sealed in a browser, opens with stock `age` and `tar`",
    limit:
      "10 MiB each in soak, 1 MiB in the test run. With the `age` of the machine at hand; other versions of it by hand.",
  },
  T4: { proves: "A reply sealed with stock `age` opens in the sender's browser" },
  T5: {
    proves: "Mixed suites, tags, passphrases and wrong numbers of stanzas are refused everywhere",
  },
  T6: { proves: "A changed, cut, lengthened or reordered file is refused whole" },
  T7: { proves: "Every stored size is of the allowed set, however it was sealed" },
  T8: { proves: "One-way, two-way and server-sealed files cannot be told apart" },
  T9: { proves: "No byte of a recipient's or a sender's key is in a stored file" },
  T10: { proves: "When sealing fails, nothing leaves the browser and the text stays in the field" },
  T11: { proves: "What only claims to be sealed is refused and not stored" },
  T12: {
    proves: "No file key, nonce or ephemeral share comes twice; the bundle has no weak randomness",
    limit: "2,000 sealings in the test run, 100,000 in soak.",
  },
  T13: { proves: "Wrong and swapped words of a code are caught before any request" },
  T14: { proves: "A code is read in ten languages, however it is typed, and as numbers" },
  T15: {
    proves: "Unknown, empty and full mailboxes answer alike",
    limit: "Bytes, status and headers decide; times are printed by `npm run bench -- drop`.",
  },
  T16: {
    proves: "The code is in no URL, title, log, store, memory image or storage of a browser",
    limit:
      "The file from which Firefox opens a session again: in soak, where Firefox ESR is installed.",
  },
  T17: { proves: "The same code means nothing on another drop" },
  T18: { proves: "What was deleted is not in the bytes of the store's file" },
  T19: { proves: "Deleting with a wrong token does nothing and looks the same" },
  T20: { proves: "Nobody can withdraw somebody else's message" },
  T21: {
    proves: "The whole journey works with JavaScript switched off",
    limit: "In Chromium; in soak also in Firefox ESR where it is installed.",
  },
  T22: {
    proves: "The same in Tor Browser at its three security levels",
    notRun:
      "Needs Tor Browser and the Tor network. Before a public deployment: send, read a reply and delete it at Standard, Safer and Safest.",
  },
  T23: {
    proves:
      "In a browser without compiler and WebAssembly 30 MiB are sealed in time, and the page answers meanwhile",
    limit:
      "In soak only: in Chromium made to interpret all code, and in Firefox ESR where it is installed, set as Tor Browser's level Safer sets it. Times are printed.",
  },
  T24: { proves: "Without `crypto.subtle` it works or says plainly that it does not" },
  T25: { proves: "A form without an origin is taken, one from another site is refused" },
  T26: { proves: "Back, reload and a second tab send nothing twice and bring nothing back" },
  T27: {
    proves:
      "No request to another origin, no violation of the policy, the exact headers everywhere",
  },
  T28: { proves: "No answer sets a cookie, and nothing needs one" },
  T29: { proves: "What was sent is in no file, journal, log or temp directory, by all three ways" },
  T30: { proves: "The same after `kill -9` in mid-upload and on a full disk" },
  T31: { proves: "After a rewrite nothing shows the order in which messages came" },
  T32: { proves: "Two messages of one thread share no stored value" },
  T33: { proves: "The logs of many requests hold no address, agent, path, size or id" },
  T34: { proves: "After 38 days nothing is left, and the day is spread evenly over eight" },
  T35: { proves: "A backup of the service holds nothing of the drop" },
  T36: {
    proves:
      "A sealer is gone after its answer, and the drop's memory holds nothing of what passed it",
    limit: "That it is gone decides; how fast is printed by the bench.",
  },
  T37: {
    proves: "An upload makes no file in the proxy's temp path and no line in its logs",
    limit: "With the nginx of the machine at hand.",
  },
  T38: {
    proves: "A proof of work that is replayed, late, cheap or of another challenge is refused",
  },
  T39: { proves: "Many tickets at once take bounded memory" },
  T40: {
    proves:
      "Slow, lying, oversized and hostile requests are refused with a sentence, nothing stored",
  },
  T41: {
    proves:
      "A budget that is used up touches only its own way in; reading replies is never blocked",
  },
  T42: { proves: "On a filling disk files are refused and text is taken" },
  T43: { proves: "A mailbox holds four replies, and the oldest stay until read" },
  T44: {
    proves: "Cleaned pictures hold no tag and show the same pixels; malformed ones are named",
    limit: "With pictures the tests make, one for each family of tags.",
  },
  T45: {
    proves: "Texts, thumbnails, films and second files inside pictures and documents are found",
  },
  T46: { proves: "A sender's file name is never used as a name" },
  T47: { proves: "Active files are never shown inline" },
  T48: { proves: "Hostile text is shown literally" },
  T49: { proves: "Hostile archives are refused" },
  T50: { proves: "A manifest that lies is contained, and a swapped key shows" },
  T51: { proves: "A message that the server stores again is flagged" },
  T52: { proves: "The inbox fetches in bulk and posts in batches" },
  T53: {
    proves:
      "The pages are accessible: by rules, keyboard, 320 px, zoom, forced colours, right to left",
    limit: "A run with a screen reader is a person's work and was not done here.",
  },
  T54: { proves: "Every language has every sentence, and a code can be typed in it" },
  T55: {
    proves:
      "Two builds give the same bytes, which are those of the published list and of the live site",
    limit:
      "Two builds in two folders of one machine. Other machines and three Tor circuits could not be had here.",
  },
  T56: { proves: "The bundle has no install scripts, WASM or other origin, and is under 60 kB" },
  T57: { proves: "Every promise on the pages has a test, or the build fails" },
}
