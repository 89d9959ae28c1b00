import type { ImportList, ImportPreview, ImportQuery } from "@assay/client"
import { Button, FileInput, Group, NativeSelect, TextInput } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { type ReactElement, useState } from "react"
import { useChange } from "../ui/change.ts"
import { DropZone } from "../ui/drop-zone.tsx"
import { sending, textIn } from "../ui/form.ts"
import { sendFile, useUpload } from "../ui/imports.ts"
import { service } from "../ui/service.ts"
import { Failure } from "../ui/states.tsx"
import { Table } from "../ui/table.tsx"
import { dayWords } from "../ui/time.tsx"
import { evidenceWords } from "../ui/words.ts"

/** A file of this browser, or one of the service's folder. */
export function NewImport({ list }: { readonly list: ImportList }): ReactElement {
  const { isSending } = useUpload()
  const [file, setFile] = useState<File | null>(null)
  const preview = useMutation({
    mutationFn: (of: { file: File; format: string }) =>
      service.imports.preview(of.file, of.format === "" ? {} : { format: of.format }),
  })
  const [format, setFormat] = useState("")
  const choose = (chosen: File | null): void => {
    setFile(chosen)
    preview.reset()
    if (chosen !== null) preview.mutate({ file: chosen, format })
  }
  const fromFolder = useChange(
    (request: Parameters<typeof service.imports.fromFolder>[0]) =>
      service.imports.fromFolder(request),
    "imports",
  )
  const [folderFile, setFolderFile] = useState("")
  const isBusy = isSending || list.imports.some(({ state }) => state === "running")
  const begin = (form: FormData): void => {
    const said = saidIn(form, format)
    if (folderFile !== "") fromFolder.mutate({ file: folderFile, ...said })
    else if (file !== null) void sendFile(file, said)
  }
  return (
    <section aria-labelledby="new-import" className="panel new-import">
      <h2 id="new-import">Import a file</h2>
      <form onSubmit={sending(begin)}>
        <DropZone onFile={choose}>
          <FileInput
            label="File"
            description="Drop it here or choose it: lists, CSV, JSON and logs, as they are or packed by gzip or zstd. It goes to the process that reads it, and never to a disk."
            placeholder="Choose a file"
            value={file}
            onChange={choose}
            clearable
            clearButtonProps={{ "aria-label": "Take the file away" }}
            disabled={folderFile !== ""}
          />
        </DropZone>
        {list.folder === null ? (
          <p className="soft">
            Zip archives and Parquet files are not read from front to back, so they cannot be
            uploaded. They are imported from a folder of the service&apos;s machine, which{" "}
            <code>ASSAY_IMPORT_FOLDER</code> names.
          </p>
        ) : (
          <NativeSelect
            label="Or a file of the service's folder"
            description="For zip archives and Parquet files, which are not read from front to back and cannot be uploaded."
            value={folderFile}
            onChange={(event) => {
              setFolderFile(event.currentTarget.value)
              choose(null)
            }}
            data={[
              { value: "", label: list.folder.length === 0 ? "The folder is empty" : "None" },
              ...list.folder.map(({ name, bytes }) => ({
                value: name,
                label: `${name} (${size.format(bytes / 1e6)} MB)`,
              })),
            ]}
            my="sm"
          />
        )}
        <div aria-live="polite">
          {preview.isPending && <p className="soft">Looking at the beginning of the file</p>}
          {preview.error !== null && <Failure error={preview.error} />}
          {preview.data !== undefined && <Preview of={preview.data} />}
        </div>
        <Group align="flex-end" my="md">
          <TextInput
            name="source"
            label="Name of the source"
            placeholder="forum-2024"
            pattern="[a-z0-9._\-]{1,64}"
            title="Lower-case letters, digits, dots, hyphens and underscores"
            required
            autoComplete="off"
          />
          <TextInput name="title" label="Title, for people" maxLength={200} autoComplete="off" />
          <TextInput name="date" label="Day it happened (UTC)" type="date" />
          <NativeSelect
            name="kind"
            label="Kind"
            data={[
              { value: "", label: preview.data ? evidenceWords(preview.data.kind) : "By the file" },
              ...list.kinds.map((kind) => ({ value: kind, label: evidenceWords(kind) })),
            ]}
          />
          <NativeSelect
            label="Format"
            value={format}
            onChange={(event) => {
              const chosen = event.currentTarget.value
              setFormat(chosen)
              if (file !== null) preview.mutate({ file, format: chosen })
            }}
            data={[
              { value: "", label: "By the file" },
              ...list.formats.map((name) => ({ value: name, label: name })),
            ]}
          />
          <Button type="submit" disabled={(file === null && folderFile === "") || isBusy}>
            Import file
          </Button>
        </Group>
        {isBusy && <p className="soft">One import runs at a time.</p>}
        {fromFolder.error !== null && <Failure error={fromFolder.error} />}
      </form>
    </section>
  )
}

const size = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

function saidIn(form: FormData, format: string): ImportQuery {
  const given = (name: string): Record<string, string> => {
    const text = textIn(form, name).trim()
    return text === "" ? {} : { [name]: text }
  }
  return {
    source: textIn(form, "source").trim(),
    ...given("title"),
    ...given("date"),
    ...given("kind"),
    ...(format !== "" && { format }),
  }
}

function Preview({ of }: { readonly of: ImportPreview }): ReactElement {
  return (
    <>
      <p>
        Recognised as <strong>{of.format}</strong>, kind of evidence: {evidenceWords(of.kind)}. The
        first rows, with identities masked:
      </p>
      <Table label="First rows" columns={["#Line", "Identity", "Password", "Says"]}>
        {of.rows.map((row) => (
          <tr key={row.line}>
            <td className="number">{row.line}</td>
            <td>{row.identity ?? <span className="soft">rejected: {row.rejected}</span>}</td>
            <td>{row.secret === "none" ? "" : row.secret}</td>
            <td>{rowSays(row)}</td>
          </tr>
        ))}
      </Table>
    </>
  )
}

/** What a row says of itself, besides what the file says of all. */
function rowSays({ kind, day }: ImportPreview["rows"][number]): string {
  const words = [kind === null ? null : evidenceWords(kind), day === null ? null : dayWords(day)]
  return words.filter((text) => text !== null).join(", ")
}
