import assert from "node:assert/strict"
import { test } from "node:test"
import { deflateRawSync } from "node:zlib"
import fc from "fast-check"
import { bytesOf, joined } from "./bytes.ts"
import { inspect, strip } from "./index.ts"
import { inflate } from "./inflate.ts"
import { zipOf } from "../../../testing/drop/metadata/test-documents.ts"
import { big, exifBlock, fullExif, little } from "../../../testing/drop/metadata/test-pictures.ts"

const runs = process.env.ASSAY_SOAK === undefined ? 300 : 50_000

function findingsIn(bytes: Uint8Array): string[] {
  return inspect(bytes).findings.map(({ label, value }) =>
    value === null ? label : `${label}: ${value}`,
  )
}

const docx = {
  "[Content_Types].xml": "<Types/>",
  "word/document.xml": "<w:document/>",
  "docProps/core.xml": `<cp:coreProperties><dc:creator>Ada Müller</dc:creator><cp:lastModifiedBy>B. Third</cp:lastModifiedBy>
<dcterms:created xsi:type="dcterms:W3CDTF">2024-05-06T07:08:09Z</dcterms:created><dc:title></dc:title></cp:coreProperties>`,
  "docProps/app.xml":
    "<Properties><Application>Word 16</Application><Company>Example Works</Company></Properties>",
  "word/comments.xml": "<w:comments/>",
  "word/media/image1.jpeg": "x",
}

test("T45: a document in an archive says its authors, dates and company, packed or not", () => {
  for (const method of [0, 8] as const) {
    const report = inspect(zipOf(docx, method))
    assert.equal(report.treatment, "report")
    assert.equal(report.extension, ".docx")
    assert.deepEqual(findingsIn(zipOf(docx, method)), [
      "author: Ada Müller",
      "author: B. Third",
      "date: 2024-05-06T07:08:09Z",
      "software: Word 16",
      "company: Example Works",
      "comment",
      "pictures",
    ])
  }
  const odt = {
    mimetype: "application/vnd.oasis.opendocument.text",
    "meta.xml": "<office:meta><meta:initial-creator>Ada</meta:initial-creator></office:meta>",
  }
  assert.equal(inspect(zipOf(odt, 0)).extension, ".odt")
  assert.deepEqual(findingsIn(zipOf(odt, 0)), ["author: Ada"])
})

const odfMeta = `<?xml version="1.0"?><office:document-meta><office:meta><meta:generator>LibreOffice/24.2</meta:generator>
<meta:initial-creator>Ada</meta:initial-creator><meta:print-date>2024-05-07T01:02:03</meta:print-date>
<meta:user-defined meta:name="Case">47-11</meta:user-defined></office:meta></office:document-meta>`
const odfFindings = [
  "author: Ada",
  "software: LibreOffice/24.2",
  "date: 2024-05-07T01:02:03",
  "properties: 47-11",
]

test("T45: every kind of OpenDocument is looked into, wherever it says its kind and also where it does not", () => {
  const kinds: [string, string][] = [
    ["text", ".odt"],
    ["spreadsheet", ".ods"],
    ["presentation", ".odp"],
    ["graphics", ".odg"],
    ["formula", ".odf"],
    ["chart", ".odc"],
    ["text-template", ".ott"],
    ["graphics-template", ".otg"],
  ]
  for (const [kind, extension] of kinds) {
    const type = `application/vnd.oasis.opendocument.${kind}`
    const root = `<manifest:file-entry manifest:full-path="/" manifest:media-type="${type}"/>`
    const manifest = {
      "META-INF/manifest.xml": `<?xml version="1.0"?><manifest>${root}</manifest>`,
    }
    const content = { "meta.xml": odfMeta, "content.xml": "<office:document-content/>" }
    for (const members of [
      { mimetype: type, ...content },
      { ...content, mimetype: type },
      { ...content, ...manifest },
    ]) {
      const report = inspect(zipOf(members))
      assert.deepEqual(
        [report.type, report.extension, report.treatment],
        [type, extension, "report"],
      )
      assert.deepEqual(findingsIn(zipOf(members)), odfFindings)
    }
  }
  const silent = inspect(
    zipOf({ "meta.xml": odfMeta, "content.xml": "<office:document-content/>" }),
  )
  assert.deepEqual([silent.extension, silent.treatment], [".zip", "report"])
  assert.equal(silent.findings.length, odfFindings.length)
})

test("T45: the comments, changes, printer and macros of an OpenDocument are told", () => {
  const long = `<text:p>${"word ".repeat(40_000)}</text:p>`
  assert.deepEqual(
    findingsIn(
      zipOf({
        "content.xml": `<office:document-content>${long}<text:changed-region/><office:annotation office:name="1"/></office:document-content>`,
        "settings.xml": `<office:settings><config:config-item config:name="PrinterName" config:type="string">Office 4 West</config:config-item></office:settings>`,
        "Basic/Standard/script-lc.xml": "<x/>",
        "Pictures/1.png": "x",
        "Thumbnails/thumbnail.png": "x",
        mimetype: "application/vnd.oasis.opendocument.text",
      }),
    ),
    ["comment", "history", "device: Office 4 West", "hidden-data: macros", "pictures", "thumbnail"],
  )
})

test("T45: an EPUB says its authors, publisher, dates and program, with or without a leading mimetype", () => {
  const opf = `<?xml version="1.0"?><package><metadata><dc:title>Notes</dc:title>
<dc:creator opf:role="aut">Ada Müller</dc:creator><dc:contributor>calibre (7.1)</dc:contributor>
<dc:publisher>Example Works</dc:publisher><dc:identifier id="id">urn:uuid:12345</dc:identifier>
<meta property="dcterms:modified">2024-05-06T07:08:09Z</meta><meta name="generator" content="Sigil 2"/></metadata></package>`
  const members = {
    "META-INF/container.xml": `<rootfile full-path="OEBPS/content.opf"/>`,
    "OEBPS/content.opf": opf,
    "OEBPS/photo.jpg": "x",
  }
  const expected = [
    "author: Ada Müller",
    "author: calibre (7.1)",
    "software: Sigil 2",
    "date: 2024-05-06T07:08:09Z",
    "title: Notes",
    "company: Example Works",
    "serial: urn:uuid:12345",
    "pictures",
  ]
  for (const epub of [{ mimetype: "application/epub+zip", ...members }, members]) {
    const report = inspect(zipOf(epub, "mimetype" in epub ? 0 : 8))
    assert.deepEqual([report.type, report.extension], ["application/epub+zip", ".epub"])
    assert.deepEqual(findingsIn(zipOf(epub)), expected)
  }
})

test("a document that nobody could read is never one without findings", () => {
  const type = "application/vnd.oasis.opendocument.text"
  // An encrypted OpenDocument: its members are there, and are no XML.
  const encrypted = { mimetype: type, "meta.xml": "\u0007\u0011jk", "content.xml": "\u0001\u0002" }
  assert.deepEqual(findingsIn(zipOf(encrypted)), ["properties"])
  const wide = { mimetype: type, "meta.xml": "<\0o\0", "content.xml": "\0<\0o" }
  assert.deepEqual(findingsIn(zipOf(wide)), ["properties"])
  // A directory that names more members than it has, and one with more than are read.
  const short = zipOf({ mimetype: type, "meta.xml": odfMeta })
  short.set(little(3, 2), short.length - 12)
  const many = zipOf({
    mimetype: type,
    ...Object.fromEntries(Array.from({ length: 4096 }, (_, n) => [`a${n}`, ""])),
    "meta.xml": odfMeta,
  })
  for (const unread of [short, many]) assert.equal(inspect(unread).treatment, "unknown")
  const other = zipOf({ "meta.xml": "<photos/>", "a.jpg": "x" })
  assert.equal(inspect(other).treatment, "unknown")
})

test("properties that cannot be unpacked are still named, and another archive is unknown", () => {
  const broken = zipOf(docx)
  const at = Buffer.from(broken).indexOf("docProps/core.xml") + "docProps/core.xml".length
  broken.fill(0xff, at, at + 40)
  assert.ok(findingsIn(broken).includes("properties"))
  assert.ok(!findingsIn(broken).includes("author: Ada Müller"))
  const archive = inspect(zipOf({ "a.txt": "a" }))
  assert.deepEqual([archive.treatment, archive.extension], ["unknown", ".zip"])
})

const pdf = `%PDF-1.7
1 0 obj << /Author (Ada \\(A.\\) M\\374ller) /Producer <576f7264> /CreationDate (D:20240506070809Z)
/Title <FEFF005300650063007200650074> >> endobj
trailer << /Info 1 0 R >>
%%EOF
`

test("T45: a PDF says its author, program and dates, and when it is a web page too", () => {
  assert.deepEqual(findingsIn(bytesOf(pdf)), [
    "author: Ada (A.) Müller",
    "software: Word",
    "date: D:20240506070809Z",
    "title: Secret",
  ])
  assert.equal(inspect(bytesOf(pdf)).treatment, "report")
  const page = inspect(bytesOf(`<html><script>alert(1)</script>\n${pdf}`))
  assert.equal(page.type, "application/pdf")
  assert.deepEqual(page.findings.at(-1), { label: "hidden-data", value: "text/html" })
  assert.deepEqual(findingsIn(bytesOf(`${pdf}PK\x03\x04more`)).at(-1), "hidden-data: 9 bytes")
  assert.deepEqual(findingsIn(bytesOf(pdf + pdf)).at(-1), "history")
  for (const packed of ["/Type /ObjStm", "/Metadata 5 0 R"])
    assert.deepEqual(
      findingsIn(bytesOf(pdf.replace("trailer <<", `trailer << ${packed}`))).at(-1),
      "properties",
    )
  const encrypted = pdf.replace("/Info", "/Encrypt 2 0 R /Info")
  assert.deepEqual(findingsIn(bytesOf(encrypted)), ["author", "software", "date", "title"])
})

function box(name: string, ...content: readonly Uint8Array[]): Uint8Array {
  const inside = joined(content)
  return joined([big(inside.length + 8, 4), bytesOf(name), inside])
}

function versioned(...content: readonly Uint8Array[]): Uint8Array {
  return joined([big(0, 4), ...content])
}

test("T45: a film says where and when it was made, and with what", () => {
  const text = "+48.8583+002.2944/"
  const older = box("\xa9xyz", big(text.length, 2), big(0, 2), bytesOf(text))
  const header = box("mvhd", versioned(big(2_082_844_800 + 1_715_000_000, 4), big(0, 88)))
  const film = joined([
    box("ftyp", bytesOf("mp42"), big(0, 4)),
    box("mdat", bytesOf("frames")),
    box("moov", header, box("udta", older)),
  ])
  assert.equal(inspect(film).type, "video/mp4")
  assert.deepEqual(findingsIn(film), ["date: 2024-05-06T12:53:20", `location: ${text}`])

  // A box that claims to be longer than the file: its content was not read.
  assert.deepEqual(findingsIn(film.subarray(0, film.length - 1)), ["technical"])

  const keys = ["com.apple.quicktime.location.ISO6709", "com.apple.quicktime.model"]
  const listed = box(
    "meta",
    box(
      "keys",
      versioned(
        big(2, 4),
        ...keys.map((key) => joined([big(key.length + 8, 4), bytesOf(`mdta${key}`)])),
      ),
    ),
    box(
      "ilst",
      ...[text, "Phone 15"].map((value, n) =>
        box(
          `\0\0\0${String.fromCharCode(n + 1)}`,
          box("data", big(1, 4), big(0, 4), bytesOf(value)),
        ),
      ),
    ),
  )
  const apple = joined([box("ftyp", bytesOf("qt  "), big(0, 4)), box("moov", listed)])
  assert.equal(inspect(apple).extension, ".mov")
  assert.deepEqual(findingsIn(apple), [`location: ${text}`, "device: Phone 15"])

  const exif = joined([bytesOf("Exif\0\0"), exifBlock(fullExif)])
  const heic = joined([box("ftyp", bytesOf("heic"), big(0, 4)), box("mdat", big(6, 4), exif)])
  assert.equal(inspect(heic).treatment, "report")
  assert.ok(findingsIn(heic).includes("location: N 48.85833 E 2.29444"))
})

test("a file is what its bytes say; pages and drawings with scripts are text", () => {
  const kinds: [string, string][] = [
    ["<svg onload='alert(1)'/>", ".txt"],
    ["<!doctype html><script>", ".txt"],
    ["plain", ".txt"],
    ["\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ".doc"],
    ["ID3\x04", ".mp3"],
    ["Rar!\x1a\x07\0", ".rar"],
    ["\0\x01\x02", ""],
    ["", ""],
  ]
  for (const [text, extension] of kinds) {
    assert.equal(inspect(bytesOf(text)).extension, extension)
    assert.deepEqual(strip(bytesOf(text)), { fault: "not-a-picture" })
  }
})

test("values are one short line without characters that hide or turn text", () => {
  const rude = pdf.replace("Ada", `A\u0000\u001b[31m\u0007 ${"x".repeat(300)}`)
  const [author] = inspect(bytesOf(rude)).findings
  assert.equal(author?.value?.length, 120)
  assert.match(author.value, /^A \[31m x+$/)
  const turned = zipOf({
    ...docx,
    "docProps/core.xml": "<dc:creator>a\u202egnp\u2066b</dc:creator>",
  })
  assert.equal(findingsIn(turned)[0], "author: a gnp b")
})

test("our inflate gives what zlib packed, whole or its beginning, and nothing for what is damaged", () => {
  const text = fc.oneof(
    fc.uint8Array({ maxLength: 2000 }),
    fc.array(fc.constantFrom(1, 2, 3), { maxLength: 4000 }).map((bytes) => Uint8Array.from(bytes)),
  )
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 9 }), fc.nat(4000), (plain, level, max) => {
      const packed = deflateRawSync(plain, { level })
      assert.deepEqual(inflate(packed, 10_000), plain)
      assert.deepEqual(inflate(packed, max), plain.subarray(0, max))
      if (packed.length > 1)
        assert.equal(inflate(packed.subarray(0, packed.length >> 1), 10_000), null)
    }),
    { seed: 45, numRuns: runs },
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      assert.ok((inflate(bytes, 500)?.length ?? 0) <= 500)
    }),
    { seed: 46, numRuns: runs },
  )
})

test("damaged documents and films are answered too", () => {
  const film = joined([
    box("ftyp", bytesOf("mp42"), big(0, 4)),
    box("moov", box("udta", box("loci"))),
  ])
  const whole = fc.constantFrom(zipOf(docx), bytesOf(pdf), film, exifBlock(fullExif, true))
  const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 8 })
  fc.assert(
    fc.property(whole, changes, (bytes, changed) => {
      const damaged = bytes.slice()
      for (const [at, value] of changed) damaged[at % damaged.length] = value
      assert.ok(inspect(damaged).findings.length <= 40)
    }),
    { seed: 47, numRuns: runs * 3 },
  )
})

test("files made to keep a reader busy are answered in time that grows only with their size", () => {
  const size = process.env.ASSAY_SOAK === undefined ? 1_048_576 : 10_485_760
  const full = (piece: string): string => piece.repeat(size / piece.length)
  const files = [
    `%PDF-1.7\n${full("/Author (")}`,
    `%PDF-1.7\n<x:xmpmeta${full(" xmp:CreateDate")}`,
    `%PDF-1.7\n<x:xmpmeta${full("<dc:creator>  <")}`,
    `\0\0\0\x10ftypmp42\0\0\0\0${full("\0\0\0\x08moov")}`,
    `\0\0\0\x10ftypmp42\0\0\0\0${full("Exif")}`,
    `PK\x03\x04${full("PK\x05\x06")}`,
    `GIF89a\x01\0\x01\0\0\0\0${full("!\xfe\x01a\0")}`,
    `\x89PNG\r\n\x1a\n${full("\0\0\0\0tEXt\0\0\0\0")}`,
    `\xff\xd8${full("\xff\xfe\0\x02")}`,
    `MM\0*\0\0\0\x08${full("\xff")}`,
  ]
  for (const file of files) {
    const bytes = Uint8Array.from(Buffer.from(file, "latin1"))
    const before = performance.now()
    inspect(bytes)
    strip(bytes)
    // Each takes a fraction of a second; with the square of the size it would be hours.
    assert.ok(performance.now() - before < 20_000)
  }
})
