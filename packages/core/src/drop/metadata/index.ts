export { fileToSend } from "./file-to-send.ts"
export { inspect, strip } from "./inspect.ts"
export {
  foundIn,
  losesColours,
  METADATA_LABELS,
  type MetadataFinding,
  type MetadataLabel,
  type MetadataReport,
} from "./metadata-report.ts"
