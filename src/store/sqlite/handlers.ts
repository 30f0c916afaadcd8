import type { Timers } from '../../world/timers.ts'
import { NOTHING_LOADED } from '../tables/tables.ts'
import type { Handlers } from './calls.ts'
import { chunks } from './chunks.ts'
import { chunksAbout } from './chunks-about.ts'
import { claimsAfter } from './claims.ts'
import type { Connection } from './connection.ts'
import { findJobs } from './find-jobs.ts'
import { findOutbox, outboxRow } from './find-outbox.ts'
import { findRecords } from './find-records.ts'
import { findSteps } from './find-steps.ts'
import { countsOf, countsUpTo } from './log.ts'
import { packJobs, unpackSet } from './packing.ts'
import { holdersOf, sketchesOf } from './small-reads.ts'
import { hasTail } from './tail.ts'
import { hasWork, heads, headsAfter } from './take.ts'
import type { Writer } from './writer.ts'

/** Reads have a connection of their own, and never wait for somebody who writes. */
export function handlersOf(reads: Connection, writer: Writer, timers: Timers): Omit<Handlers, 'close'> {
  const turn = () => timers.turn()
  return {
    write: (set) => writer.write(unpackSet(set)),
    take: async (work, also) => {
      if (!hasTail(reads) && !hasWork(reads, work)) {
        return { jobs: packJobs([]), delivered: new Map(), also: NOTHING_LOADED, session: null }
      }
      const taken = await writer.take(work, also)
      return { ...taken, jobs: packJobs(taken.jobs) }
    },
    loadTaken: (session, wanted) => writer.loadTaken(session, wanted),
    writeTaken: (session, set) => writer.writeTaken(session, unpackSet(set)),
    release: (session) => writer.release(session),
    heads: (select) => packJobs(reads.within(() => heads(reads, select))),
    headsAfter: (select) => reads.within(() => headsAfter(reads, select)).map(packJobs),
    holders: (slots) => reads.within(() => holdersOf(reads, slots)),
    counts: () => countsOf(reads),
    countsUpTo: () => reads.within(() => countsUpTo(reads)),
    findJobs: (query) => reads.within(() => findJobs(reads, query)),
    findRecords: (kind, query) => reads.within(() => findRecords(reads, kind, query)),
    findSteps: (query) => findSteps(reads, query, turn),
    findOutbox: (query) => reads.within(() => findOutbox(reads, query)),
    outboxRow: (tenant_id, outbox_id) => reads.within(() => outboxRow(reads, tenant_id, outbox_id)),
    chunksAbout: (about) => reads.within(() => chunksAbout(reads, about)),
    chunks: (select) => chunks(reads, select, turn),
    sketches: (select) => reads.within(() => sketchesOf(reads, select)),
    claims: (after, limit) => claimsAfter(reads, after, limit),
    maintain: (keepFrom) => writer.maintain(keepFrom),
    fold: (characters) => writer.fold(reads, characters),
    checkpoint: () => writer.checkpoint(),
  }
}
