import type { Benchmark } from '../suite/bench.ts'
import { auditQuery } from './audit-query.ts'
import { compactionStall } from './compaction-stall.ts'
import { loneCaller } from './lone-caller.ts'
import { openTime } from './open-time.ts'
import { pointRead } from './point-read.ts'
import { snapshotStart } from './snapshot-start.ts'
import { transitions } from './transitions.ts'

/** In the order in which they run: those first that need a quiet disk and no data. */
export const JOURNAL_BENCHMARKS: readonly Benchmark[] = [
  {
    name: 'transitions',
    about: 'durable document transitions with 100 and 1,000 callers, against the bare cost of their lines',
    run: transitions,
  },
  {
    name: 'lone-caller',
    about: 'commit latency of one caller alone, against a bare append and fdatasync',
    run: loneCaller,
  },
  {
    name: 'open-time',
    about: 'opening ledgers of 10 thousand and 10 million settled documents, and of 1 million open ones',
    run: openTime,
  },
  {
    name: 'point-read',
    about: 'reading settled documents by id among 10 million, and ids that are not there',
    run: pointRead,
  },
  {
    name: 'audit-query',
    about: 'finding a rare error among 10 million audit records',
    run: auditQuery,
  },
  {
    name: 'snapshot-start',
    about: 'opening from a snapshot, against replaying 1 million transitions',
    run: snapshotStart,
  },
  {
    name: 'compaction-stall',
    about: 'commit latency of 100 callers while 1 million records are compacted, against without',
    run: compactionStall,
  },
]
