import { z } from 'zod'
import { type Machine, type StateSpec, TONES } from '../../../core/machine.ts'
import type { RecordKind } from '../../../core/machines/all.ts'
import type { LedgerStats } from '../../../ledger/ledger.ts'
import type { Finding, MaintenanceReport, SnapshotReport, StorageStats } from '../../../store/store.ts'
import { at, count, recordKind } from './field-schemas.ts'
import { schemaFor } from './schema-for.ts'

const storageSchema = schemaFor<StorageStats>()(
  z.strictObject({
    delta_bytes: count,
    snapshot: z.strictObject({ seq: count, created_at: at }).nullable(),
    segments: count,
    damage: z.string().nullable().describe('What is wrong, when the ledger can only be read'),
  }),
).meta({ id: 'StorageStats' })

export const ledgerStatsSchema = schemaFor<LedgerStats>()(
  z.strictObject({
    engine: z.string(),
    records: z.record(recordKind, count),
    audit_records: count,
    removed_audit_records: count,
    pending_signals: count,
    storage: storageSchema.exactOptional(),
    open_ms: z.number(),
  }),
).meta({ id: 'LedgerStats' })

const snapshotSchema = schemaFor<SnapshotReport>()(
  z.strictObject({ path: z.string(), seq: count, created_at: at, document_count: count, bytes: count }),
).meta({ id: 'SnapshotReport' })

export const maintenanceReportSchema = schemaFor<MaintenanceReport>()(
  z.strictObject({
    compacted: z.boolean(),
    removed_audit_records: count,
    snapshot: snapshotSchema.nullable().describe('The newest there is now; null where engines make none'),
  }),
).meta({ id: 'MaintenanceReport' })

export const findingSchema = schemaFor<Finding>()(
  z.strictObject({
    where: z.string(),
    what: z.string(),
    damage: z.literal(true).exactOptional().describe('Bytes are not what they were'),
  }),
).meta({ id: 'Finding' })

const stateSpecSchema = schemaFor<StateSpec<string>>()(
  z.strictObject({
    about: z.string(),
    tone: z.enum(TONES).describe('How it is to be taken; colours go by it'),
    to: z.array(z.string()),
    terminal: z.literal(true).exactOptional(),
    retry: z.literal(true).exactOptional(),
  }),
).meta({ id: 'StateSpec' })

const machineSchema = schemaFor<Machine<string>>()(
  z.strictObject({
    name: z.string(),
    initial: z.string(),
    states: z.record(z.string(), stateSpecSchema),
  }),
).meta({ id: 'Machine', description: 'States, and where each may go' })

export const machinesSchema = schemaFor<{ [K in RecordKind]: Machine<string> }>()(
  z.record(recordKind, machineSchema),
)
