import { statesOf } from '../../../core/machine.ts'
import { machines, type RecordKind } from '../../../core/machines/all.ts'
import { toIso } from '../../../core/time.ts'
import type { Ledger, LedgerStats } from '../../../ledger/ledger.ts'
import { defineCommand } from '../../define-command.ts'
import { RECORD_KINDS } from '../../options/states.ts'
import { timeOption } from '../../options/time-option.ts'
import { type Field, fieldLines } from '../../output/fields.ts'
import { bytesText, countOf, countText, manyOf, timeText } from '../../output/words.ts'
import type { Session } from '../../session.ts'

interface Options {
  readonly at?: number
}

/** Kinds whose counts can be told for an earlier time. */
const COUNTED = ['document', 'job'] as const

type Counts = { readonly [state: string]: number }

export const ledgerStats = defineCommand<Options>({
  name: 'stats',
  summary: 'how many records are in which state, and how the ledger is kept',
  about:
    'Counts records by state, those with none as well, and says how the ledger is kept: records, history, what was ' +
    'written since the last snapshot. Counts everybody, or one tenant with --tenant. With --at the counts are those of ' +
    'an earlier time, as far as the history goes back.',
  options: [
    timeOption('at', 'counts as they were then: 2025-10-03T12:00:00Z, epoch seconds, or how long ago (2h)'),
  ],
  examples: [
    ['ledger stats', 'as it is now'],
    ['ledger stats --at 1d', 'as it was yesterday at this time'],
    ['ledger stats --tenant aurora --json | jq .states.document.failed', 'one number, for a program'],
  ],
  exits: [
    [3, 'the history of that time was removed'],
    [5, 'the ledger is damaged; the counts are those of what can be read'],
  ],
  async run(session, { at, tenant }) {
    const ledger = await session.openToRead()
    const stats = await ledger.stats()
    const states = await statesAt(ledger, at, tenant)
    if (session.isJson) {
      return session.json({ ...(at === undefined ? null : { at: toIso(at) }), states, ...stats })
    }
    const { out } = session
    const when = at === undefined ? '' : `  as of ${timeText(at)}`
    for (const [kind, counts] of Object.entries(states)) {
      // Documents are what everybody asks for; other kinds are shown when there are any.
      if (kind !== 'document' && sum(counts) === 0) continue
      const title = manyOf(kind).toUpperCase()
      await out.write(`${out.paint('bold', title)}  ${countText(sum(counts))}${out.paint('dim', when)}\n`)
      await out.write(countLines(session, kind as RecordKind, counts))
    }
    await out.write(`${out.paint('bold', 'STORAGE')}\n${fieldLines(out, storageFields(stats))}`)
  },
})

async function statesAt(
  ledger: Ledger,
  at: number | undefined,
  tenant: string | undefined,
): Promise<{ readonly [kind: string]: Counts }> {
  const counted = at === undefined ? RECORD_KINDS : COUNTED
  const all: { [kind: string]: Counts } = {}
  for (const kind of counted) {
    const counts =
      at === undefined
        ? await ledger.counts(kind, tenant)
        : await ledger.countsAsOf(kind as (typeof COUNTED)[number], at, tenant)
    all[kind] = Object.fromEntries(
      statesOf<string>(machines[kind]).map((state) => [state, counts[state] ?? 0]),
    )
  }
  return all
}

function countLines({ out }: Session, kind: RecordKind, counts: Counts): string {
  const states = Object.entries(counts)
  const named = Math.max(...states.map(([state]) => state.length))
  const digits = Math.max(...states.map(([, n]) => countText(n).length))
  const abouts: { readonly [state: string]: { readonly about: string } } = machines[kind].states
  return states
    .map(([state, n]) => {
      const start = `  ${state.padEnd(named)}  ${countText(n).padStart(digits)}`
      const about = abouts[state]?.about ?? ''
      return n === 0
        ? `${out.paint('dim', `${start}  ${about}`)}\n`
        : `${start}  ${out.paint('dim', about)}\n`
    })
    .join('')
}

function storageFields(stats: LedgerStats): readonly Field[] {
  const { engine, records, audit_records, removed_audit_records, storage, open_ms } = stats
  const kinds = Object.entries(records).filter(([, n]) => n > 0)
  const kept: readonly Field[] = [
    ['engine', engine],
    ['records', kinds.map(([kind, n]) => countOf(n, kind)).join(', ') || 'none'],
    [
      'history',
      countOf(audit_records, 'entry'),
      removed_audit_records === 0
        ? undefined
        : `${countOf(removed_audit_records, 'entry')} removed, past their time`,
    ],
  ]
  if (storage === undefined) return kept
  const { snapshot, delta_bytes, segments, damage } = storage
  return [
    ...kept,
    ['delta', bytesText(delta_bytes), 'written since the last snapshot'],
    [
      'snapshot',
      snapshot === null ? 'none yet' : snapshot.created_at,
      snapshot === null ? undefined : `at seq ${snapshot.seq}`,
    ],
    ['segments', countText(segments), 'sealed parts of the history'],
    ['opened in', `${Math.ceil(open_ms)} ms`],
    ['damage', damage],
  ]
}

function sum(counts: Counts): number {
  return Object.values(counts).reduce((total, n) => total + n, 0)
}
