import type { JobAggregate, LedgerRecord } from '../../core/aggregate.ts'
import type { AuditRecord } from '../../core/audit.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import { checkRecords } from '../check-records.ts'
import type { Finding } from '../store.ts'
import type { AzureCell } from './azure-cell.ts'
import { cellOfRows } from './cell-rows.ts'
import { keyOfRow } from './cell-store.ts'
import type { Engine } from './engine.ts'
import { part, rangeOf } from './keys.ts'
import { laneKey } from './lane-rows.ts'
import { recordsOfLine } from './line-columns.ts'
import type { MergedLog } from './merged-log.ts'
import type { Position } from './position.ts'
import { jobOfRow, type Scanning } from './scanning.ts'
import type { Settling } from './settling.ts'
import { IDEMPOTENCY, INDEX, JOBS, STEPS } from './table-names.ts'
import type { Totals } from './totals.ts'

export interface CheckingParts {
  readonly engine: Engine
  readonly log: MergedLog
  readonly scanning: Scanning
  readonly settling: Settling
  readonly totals: Totals
}

/** History up to which every record is compared with it: all of it is in memory for that. */
const MOST_HISTORY = 1_000_000

const MOST_LOOKS = 3

/** Looks for contradictions: between records, history and counts, and between a job and what is to be found by it. */
export class Checking {
  readonly #parts: CheckingParts

  constructor(parts: CheckingParts) {
    this.#parts = parts
  }

  /** What others are just about is no contradiction: what is one is found again. */
  async check(): Promise<readonly Finding[]> {
    let found = await this.#look()
    for (let looks = 1; looks < MOST_LOOKS && found.length > 0; looks++) {
      const again = await this.#look()
      found = again.filter(({ where }) => found.some((finding) => finding.where === where))
    }
    return found
  }

  async #look(): Promise<readonly Finding[]> {
    const { log, scanning, totals } = this.#parts
    const { records, removed } = await totals.records()
    const isTold = removed === 0 && records <= MOST_HISTORY
    const moments: Position[] = [new Map()]
    const findings = await checkRecords({
      records: (kind) => this.#records(kind),
      counts: async (kind) => (await totals.counts()).read(kind),
      history: (after) => momentsAfter(log, moments, after),
      lastSeq: async () => moments.push(await log.end()) - 1,
      isCompared: () => isTold,
      isNoneCompared: !isTold,
    })
    const jobs: Finding[] = []
    for (const tenant_id of await totals.tenants()) jobs.push(...(await this.#checkJobs(tenant_id, scanning)))
    return [...findings, ...jobs]
  }

  async *#records(kind: RecordKind): AsyncGenerator<LedgerRecord> {
    const { scanning, totals } = this.#parts
    for (const tenant_id of await totals.tenants()) yield* scanning.records(kind, tenant_id, { kind })
    // What is decided here and can be read already is told by now.
    await this.#parts.settling.idle()
  }

  /** Each job, its row in `Jobs`, and the rows that lead to it. What seems wrong is looked at once more by itself. */
  async #checkJobs(tenant_id: string, scanning: Scanning): Promise<readonly Finding[]> {
    const { from: pkFrom, before: pkBefore } = rangeOf(part(tenant_id))
    const findings: Finding[] = []
    for await (const row of scanning.rows(STEPS, { pkFrom, pkBefore, rkBefore: '"' })) {
      if (row.columns._v === 0) continue
      const key = keyOfRow(STEPS, row)
      if ((await this.#problemOf(cellOfRows(key, [row]))) === null) continue
      const problem = await this.#problemOf(await this.#parts.settling.settled(key))
      if (problem !== null) findings.push({ where: `job ${tenant_id} ${key.id}`, what: problem })
    }
    return findings
  }

  async #problemOf({ key, aggregate, meta, version }: AzureCell): Promise<string | null> {
    const { service } = this.#parts.engine
    const { job } = aggregate as JobAggregate
    const { jobsPk, index, slots } = meta.job as NonNullable<typeof meta.job>
    const row = await service.get(JOBS, jobsPk, part(key.id))
    if (row === null) return 'has no row in Jobs'
    if (row.columns._v !== version || jobOfRow(row).state !== job.state)
      return 'is not what its row in Jobs says'
    for (const rk of [index.ready, index.due]) {
      if (rk !== null && (await service.get(INDEX, laneKey(index.lane), rk)) === null)
        return `is not in the index at ${rk}`
    }
    for (const { key: limit, pk, rk } of slots) {
      const place = await service.get(IDEMPOTENCY, pk, rk)
      if (place?.columns.owner !== key.id) return `does not hold its place under ${limit}`
    }
    return null
  }
}

/** What happened between the moments at which somebody looked, each under the number of the moment that it was there at. */
async function* momentsAfter(
  log: MergedLog,
  moments: readonly Position[],
  after: number,
): AsyncGenerator<AuditRecord> {
  for (let n = after + 1; n < moments.length; n++) {
    for await (const line of log.between(moments[n - 1] as Position, moments[n] as Position)) {
      for (const record of recordsOfLine(line)) yield { ...record, seq: n }
    }
  }
}
