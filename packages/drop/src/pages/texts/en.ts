/**
 * Every sentence of the drop's pages. A key that begins with `promise-` states what this drop does
 * and has a test; one that begins with `admission-` states what it cannot do. A number that changes
 * the sentence is called `count`.
 */
export const en = {
  "language-name": "English",
  "page-name": "Anonymous drop",
  languages: "Languages",
  skip: "Skip to the page",
  "other-pages": "Other pages",
  "link-form": "Send a message",
  "link-replies": "Read replies",
  "link-withdraw": "Take a message back",
  "link-presealed": "Encrypt it yourself",
  "link-hashes": "Check this site",
  "title-fault": "Error: {title}",
  demo: "This is a demonstration. It shares its address with other services, so do not send anything real.",

  "form-title": "Send a message without saying who you are",
  "form-title-named": "Send {name} a message without saying who you are",
  "promise-sealed":
    "Your message is encrypted before it is stored: on your own device with JavaScript, on this server without it.",
  "promise-readers": {
    one: "Only the person who holds the key can open it, and the key is not on this server.",
    other:
      "Only the people who hold one of {count} keys can open it, and none of the keys is on this server.",
  },
  "promise-kept": {
    one: "We keep the encrypted message for {count} day and up to 7 more, picked at random; we store no address, no time of arrival, no cookie and nothing about your device.",
    other:
      "We keep the encrypted message for {count} days and up to 7 more, picked at random; we store no address, no time of arrival, no cookie and nothing about your device.",
  },
  "admission-hide":
    "We cannot hide that you visited this site or roughly how much you sent, and your words, your style or a picture can show who you are.",
  "admission-safer":
    "You are safer with Tor Browser, on a device and a network that do not belong to the people you write about.",
  "onion-link": "Open this drop at its onion address",
  "more-title": "More about what is hidden and what is not",
  "promise-order":
    "Every night, and after every 50 messages, the store is written anew, so that nothing in it shows in which order messages came.",
  "promise-unlinked": "Nothing in the store shows that two messages come from the same person.",
  "promise-modes": "Without a key nobody can see whether a stored message asked for replies.",
  "promise-backup": "This service never puts messages into its backups.",
  "admission-network":
    "Whoever runs your network can see that you visited this site, and when. With Tor they see only that you use Tor.",
  "admission-size":
    "The size of what you send can be seen: with JavaScript as one of ten sizes, without it almost exactly.",
  "admission-script":
    "With JavaScript you trust the code that this site sends on each visit. You can check it, or encrypt the message yourself.",
  "admission-keys":
    "Whoever steals a reader’s key can open every message that is still stored here.",
  "fingerprint-title": "Check who can open it",
  "fingerprint-text":
    "These six words stand for the readers’ keys. If the readers published them elsewhere, they must be the same:",

  "message-label": "Your message",
  "message-hint":
    "Up to about {letters} letters. Do not write your name if you do not want it known.",
  "files-label": "Files",
  "files-hint": "Not required. Up to {files} files, each up to {size}.",
  "file-number": "File {number}",
  "files-not-taken":
    "Files cannot be sent at the moment, because space is running out. Messages without files can.",
  "files-again": "If you had chosen files, choose them again: your browser does not keep them.",
  "metadata-hint": "Files often say where, when and with which device they were made.",
  "promise-strip":
    "Hidden data is removed from pictures (JPEG, PNG, WebP and GIF), unless you choose to send one untouched.",
  "metadata-keep": "Send file {number} untouched, because hidden data can be evidence",
  "admission-documents":
    "It is not removed from documents, video or sound. Nothing removes what a picture or a text itself shows.",
  "names-keep": "Send the names of the files too",
  "promise-names": "If you do not tick this, the readers do not get the names of your files.",
  "mode-label": "Do you want replies?",
  "mode-two-way": "Yes, give me a code",
  "mode-two-way-hint": "You write the code down and come back with it to read replies.",
  "mode-one-way": "No, only send",
  "mode-one-way-hint": "There is no code, and nobody can answer you.",
  "question-label": "A question against machines",
  "website-label": "Leave this field empty",
  "effort-label": "Extra work of your device",
  "effort-hint":
    "Not required. Before a message is taken, your device works for about a second, an old phone for several. If you let it work longer, the readers see that you took the trouble.",
  "admission-effort": "Your choice is stored beside the message, unencrypted.",
  "effort-0": "As long as it must",
  "effort-1": "Twice as long",
  "effort-2": "Four times as long",
  "effort-3": "Eight times as long",
  "admission-no-script":
    "Without JavaScript this server encrypts your message for you, and could in principle read it while doing so.",
  send: "Send",

  "sent-title": "Your message was sent",
  "sent-one-way": "It is stored, encrypted. There is nothing more to do.",
  "sent-two-way": "It is stored, encrypted. This is your code for replies:",
  "sent-follow-up": "It is stored, encrypted. Your code stays the same.",
  "sent-file-unknown":
    "File {number} was not looked into, because it is of a kind that cannot be read here. It was sent as it is and may carry hidden data.",
  "sent-file-colours":
    "File {number} lost a colour profile with its hidden data. Its colours can look different to the readers.",
  "code-once":
    "Write it down on paper now, and keep it where others do not look. It is shown only this once.",
  "promise-code": "We do not store your code and cannot give it to you again.",
  "code-title": "Your code",
  "code-line": "The code in one line:",
  "code-numbers": "The same code in numbers:",
  "code-either": "You can use either form to come back.",
  "confirm-title": "Did you write it down?",
  "confirm-text": "Type two parts of your code to check. You can skip this.",
  "confirm-4": "Word 4",
  "confirm-9": "Word 9",
  "confirm-check": "Check",
  "confirm-right": "Right. You have your code.",
  "confirm-wrong": "That does not match. Look at your paper and at the code above again.",
  "confirmed-title": "You have your code",
  "confirmed-text": "Both parts are right. Come back in a few days and read the replies with it.",
  "next-title": "What you can do now",
  "write-again": "Write another message",
  "withdraw-now": "Take back what I sent",
  "admission-withdraw":
    "Taking messages back shows this server that the messages of your code belong together.",
  done: "I am done",

  "replies-title": "Read replies",
  "replies-intro": "Type the code you wrote down: its words in any language, or its numbers.",
  "promise-alike": "A code that nobody was given and a code without replies get the same answer.",
  "code-label": "Your code",
  "code-hint":
    "Twelve words, or twelve groups of digits. The first four letters of a word will do.",
  "show-replies": "Show replies",
  "admission-no-script-code":
    "Without JavaScript this server sees your code while it answers, and could in principle read your replies.",
  "promise-forget": "The program that sees them ends as soon as it has answered.",
  "replies-shown-title": "Replies",
  "reply-number": "Reply {number}",
  "reply-file": "This reply carries a file. It can be saved only with JavaScript.",
  "reply-unreadable":
    "This reply is damaged and cannot be shown. Ask the readers to send it again.",
  "no-replies": "There is no reply for this code at the moment.",
  "admission-own-messages":
    "You see only what the readers wrote. Your own messages cannot be shown, not even to you.",
  "promise-replies-kept": {
    one: "A reply waits for {count} day and up to 7 more.",
    other: "A reply waits for {count} days and up to 7 more.",
  },
  "delete-replies": "Delete these replies now",
  "promise-delete": "Deleted replies are gone from the store at once.",
  "replies-deleted-title": "The replies are deleted",
  "replies-deleted": "The replies that were here for your code are deleted. Your code still works.",
  "follow-up-title": "Write again",
  "admission-follow-up":
    "Your message goes to the same readers and they see that it belongs to your earlier one. A message you send from here cannot be taken back.",

  "withdraw-title": "Take a message back",
  "withdraw-intro": "With your code you can delete what you sent before it is read.",
  "admission-withdraw-limits":
    "What you sent on a later visit cannot be taken back, and what a reader has already fetched stays with that reader.",
  "withdraw-button": "Take my messages back",
  "withdrawn-title": "Done",
  "promise-withdrawn":
    "Whatever of your messages was still here and could be taken back is deleted.",

  "presealed-title": "Encrypt it yourself",
  "presealed-intro":
    "You can encrypt a message with the programs age and tar, and send only the result. Then neither this server nor its JavaScript has to be trusted.",
  "presealed-step-keys": "Save the readers’ keys in a new folder:",
  "presealed-step-message":
    "In that folder, write your message, up to about {letters} letters, in a file with the name message.txt.",
  "presealed-step-commands": "Run these commands in that folder:",
  "presealed-step-send": "Send the file that came out, message.age:",
  "presealed-file": "The encrypted file",
  "promise-presealed":
    "A file that was made in this way is stored as it is, and looks like any other message.",
  "presealed-offline-title": "With files, or with a code for replies",
  "presealed-offline":
    "This page works from your disk, without a network. It makes the code and the encrypted file on your own device.",
  "link-offline": "Save the offline page",
  "presealed-sent-title": "Your file was sent",
  "presealed-sent": "It is stored as you made it.",
  "presealed-wrapped":
    "It did not have the form of a message, so this server put it into a second envelope, without opening it.",

  "done-title": "You can close this page",
  "promise-done":
    "Your browser was told to forget what this site left in it: there is no cookie and nothing else is stored.",
  "done-history":
    "Your browser’s history may still show that you were here. Close the private window, or delete the history.",

  "busy-title": "Many people are sending just now",
  "busy-text": {
    one: "This page tries again by itself in {count} second. You need not do anything.",
    other: "This page tries again by itself in {count} seconds. You need not do anything.",
  },
  "not-set-up-title": "This drop cannot take messages yet",
  "not-set-up-text": "Nobody has a key to open them, so nothing can be encrypted. Come back later.",
  "not-set-up-operators":
    "If you run this service, make the first key and add it with these commands:",
  "not-found-title": "There is no such page",
  "not-found-text": "The address may be mistyped.",
  "hashes-title": "Check this site",
  "promise-hashes":
    "These are the SHA-256 sums of the files this site sends to your browser. They are the same on every site that runs this version.",
  "hashes-compare":
    "Compare them with the list of the published version, from another device and another network.",

  "fault-summary": "Your message was not sent",
  "promise-nothing-stored": "Nothing was stored this time.",
  "fault-empty": "Write a message or choose a file.",
  "fault-message-long":
    "The message is too long. There is room for about {letters} letters. Send the rest in a second message.",
  "fault-files-many": "There are more than {files} files. Send the others in a second message.",
  "fault-file-large": "File {number} is larger than {size}.",
  "fault-file-empty": "File {number} is empty.",
  "fault-file-malformed":
    "File {number} looks like a picture, but its hidden data could not be removed. Leave it out, or choose to send it untouched.",
  "fault-file-carries":
    "File {number} carries hidden data that cannot be removed: {found}. Leave it out, or choose to send it untouched.",
  "fault-files-not-taken": "Files cannot be taken at the moment. Send your message without files.",
  "fault-token-early": "The form came back too quickly. Wait 15 seconds, then press Send again.",
  "fault-token-expired": "This page was open for more than a day. Press Send again.",
  "fault-token-spent":
    "This form was used before. If you saw that your message was sent, do not send it again.",
  "fault-token-wrong": "This form does not come from this drop. Press Send again.",
  "fault-question": "The answer is not right. Try again.",
  "fault-code-empty": "Type your code.",
  "fault-code-count":
    "A code has twelve words or twelve groups of digits. This one has more or fewer.",
  "fault-code-word": "Part {at} is not a word of the list. Check its letters.",
  "fault-code-checksum":
    "One of the words is not right, or two are swapped. Compare with your paper.",
  "fault-code": "Your code could not be read. Open the page for replies and type it again.",
  "fault-presealed-missing": "Choose the encrypted file.",
  "fault-presealed": "This is not a file that age has encrypted, or it is too large.",
  "fault-unreadable": "The form could not be read. Press Send again.",
  "fault-slow": "The connection was too slow, or it was broken off. Press Send again.",
  "fault-busy":
    "Too many messages are coming in just now. Wait a few minutes, then press Send again.",
  "fault-full": "There is no space for more messages. Try again tomorrow.",
  "fault-failed": "Something went wrong on this server. Try again in a few minutes.",

  "refusal-title": "That did not work",
  "refusal-reload":
    "To try again, load this page anew. Your browser asks whether to send the form once more: say yes, and your text goes with it.",
  "refusal-unreadable": "The request could not be read.",
  "refusal-other-site": "The request came from another site, so it was not taken.",
  "refusal-method": "This page cannot be used in that way.",
  "refusal-slow": "The connection was too slow or was broken off.",
  "refusal-large": "That is more than one message may hold: {files} files, each up to {size}.",
  "refusal-gave-way":
    "Others are waiting to send, and your connection was the slowest, so it was ended. Try again later, or send less at once.",
  "refusal-busy": "Too many people are sending just now. Wait a few minutes and try again.",
  "refusal-full": "There is no space for more messages. Try again tomorrow.",
  "refusal-failed": "Something went wrong on this server. Try again in a few minutes.",

  "script-file-found": "This file also says:",
  "script-file-clean": "No hidden data was found in this file.",
  "script-file-removed":
    "All of this is removed before sending. The readers are told only which kinds there were.",
  "script-file-colours":
    "The colours can look different afterwards, because they depend on a colour profile that is removed too. If colours matter, send the file untouched.",
  "script-file-stays": "This cannot be removed here. Leave the file out if it must not be known.",
  "script-file-untouched": "The file is sent untouched, with all of this.",
  "script-file-malformed":
    "This looks like a picture, but its hidden data cannot be removed. Leave it out, or send it untouched.",
  "script-file-unknown":
    "This kind of file was not looked into, so it may carry hidden data. It is sent as it is.",
  "script-file-reading": "Looking into the file…",
  "script-keep-file": "Send this file untouched",
  "script-remove-file": "Leave this file out",
  "finding-location": "Place",
  "finding-date": "Date",
  "finding-device": "Device",
  "finding-serial": "Serial number",
  "finding-author": "Author",
  "finding-company": "Organisation",
  "finding-title": "Title",
  "finding-software": "Program",
  "finding-comment": "Comment",
  "finding-thumbnail": "Small copy of the picture",
  "finding-history": "History of changes",
  "finding-colour-profile": "Colour profile",
  "finding-technical": "Technical data",
  "finding-properties": "Properties of the document",
  "finding-pictures": "Pictures inside, with their own hidden data",
  "finding-hidden-data": "Data behind the end of the file",
  "script-proof": "Your device solves a small puzzle, which keeps machines out: {percent} %",
  "script-sealing": "Encrypting on your device: {percent} %",
  "script-sending": "Sending: {percent} %",
  "script-looking": "Looking for replies…",
  "script-working": "One moment…",
  "script-save-file": "Save the file of this reply",
  "script-plain-form": "Send without JavaScript instead",
  "failure-kept": "Your text is still in the field.",
  "failure-offline": "The connection failed, so sending stopped. Try again when you are online.",
  "failure-uncertain":
    "The connection failed at the end, and your message may have arrived. If you send it again, the readers may get it twice.",
  "failure-sealing": "Your device could not encrypt the message, so it was not sent.",
  "failure-keys-changed":
    "The readers’ keys changed meanwhile. Copy your text, load this page anew, which empties the field, and send again.",
  "failure-keys": "The readers’ keys could not be checked, so nothing was sent. Try again later.",
  "failure-ticket":
    "The puzzle took too long, or this server did not accept the solution. Press Send again.",
  "failure-refused": "This server refused the message.",
  "failure-busy":
    "Too many messages are coming in just now. Wait a few minutes, then press Send again.",
  "failure-full": "There is no space for more messages. Try again tomorrow.",
  "failure-no-crypto":
    "This browser cannot encrypt on this page. You can let this server encrypt the message, but it could in principle read it while doing so.",
  "failure-replies": "The replies could not be fetched. Try again in a few minutes.",
  "failure-delete": "It is not certain that the replies were deleted. Try again in a few minutes.",
  "failure-withdraw":
    "It is not certain that your messages were taken back. Try again in a few minutes.",
} as const
