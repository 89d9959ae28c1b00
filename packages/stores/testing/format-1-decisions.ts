import { DatabaseSync } from "node:sqlite"
import type { Decision } from "../src/decisions.ts"

/** The table of format 1, as either engine takes it but for types. */
const COLUMNS = 14

/** Makes a month's file as programs made it before decisions lay in blocks. */
export function writeFormat1(file: string, decisions: readonly Decision[]): void {
  const db = new DatabaseSync(file)
  db.exec(`
    pragma journal_mode = wal;
    pragma secure_delete = on;
    create table decisions (
      id text primary key not null, at integer not null, tenant_id integer, key_id text not null,
      subject text not null, identity_key blob not null, model_version text not null,
      calibration text, score integer not null, stage text, confidence text,
      action text not null, input text not null, format integer not null
    ) strict;
    create index decisions_of_tenant on decisions (tenant_id, id);
    create index decisions_of_identity on decisions (identity_key);
    pragma user_version = 1;
    begin`)
  const places = Array.from({ length: COLUMNS }, () => "?").join(", ")
  const insert = db.prepare(`insert into decisions values (${places})`)
  for (const decision of decisions) insert.run(...format1Values(decision))
  db.exec("commit")
  db.close()
}

/** The values of a row, in the order of its columns. */
export function format1Values(d: Decision): (string | number | null | Uint8Array)[] {
  const { id, at, tenantId, keyId, identityType, identityKey, modelVersion, calibration } = d
  const { score, stage, confidence, action, input, format } = d
  return [
    ...[id, at, tenantId, keyId, identityType, identityKey, modelVersion, calibration],
    ...[score, stage, confidence, action, input, format],
  ]
}
