export type { MetadataFinding, MetadataReport } from "./metadata-report.ts"
