import type { AloneKind } from '../../core/aggregate.ts'
import type { Claim, ClaimKey, SlotKey } from '../../core/decision.ts'
import type { CountEntry } from '../live/state-counts.ts'
import type { About, Chunk, ChunkSelect, ChunkSketch, SketchSelect } from '../tables/log-parts.ts'
import type * as T from '../tables/tables.ts'
import type { CountsUpTo, Folded } from '../tables/tail/tail.ts'
import type { FaultName } from './fault.ts'
import type { Packed, PackedSet } from './packing.ts'
import type { TakenAnswer } from './writer.ts'

type PackedTaken = Omit<TakenAnswer, 'jobs'> & { readonly jobs: Packed }

/** What the thread of the database is asked. */
export interface Calls {
  write(set: PackedSet): T.Written
  take(work: T.TakeWork, also: T.Wanted): PackedTaken
  loadTaken(session: number, wanted: T.Wanted): T.Loaded
  writeTaken(session: number, set: PackedSet): T.Written
  release(session: number): void
  heads(select: T.ReadySelect): Packed
  headsAfter(select: T.NextSelect): readonly Packed[]
  holders(slots: readonly SlotKey[]): readonly T.SlotHolder[]
  counts(): readonly CountEntry[]
  countsUpTo(): CountsUpTo
  findJobs(query: T.Find): readonly T.JobRow[]
  findRecords(kind: AloneKind, query: T.Find): readonly T.RecordRow[]
  findSteps(query: T.Find): readonly T.FoundStep[]
  findOutbox(query: T.Find): readonly T.FoundOutbox[]
  outboxRow(tenant_id: string, outbox_id: string): T.FoundOutbox | null
  chunksAbout(about: About): readonly number[]
  chunks(select: ChunkSelect): readonly Chunk[]
  sketches(select: SketchSelect): readonly ChunkSketch[]
  claims(after: ClaimKey | null, limit: number): readonly Claim[]
  maintain(keepFrom: number | null): number
  fold(characters: number): Folded
  checkpoint(): void
  close(): void
}

export type Verb = keyof Calls

/** Answers come as they are ready. */
export type Handlers = {
  readonly [V in Verb]: (
    ...given: Parameters<Calls[V]>
  ) => ReturnType<Calls[V]> | Promise<ReturnType<Calls[V]>>
}

export interface Request {
  readonly id: number
  readonly verb: Verb
  readonly given: readonly unknown[]
}

export interface ToldFault {
  readonly fault: FaultName
  readonly message: string
}

/** The first one says that the database is open, or why not. */
export type FromThread =
  | { readonly opened: true }
  | { readonly failed: ToldFault }
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: ToldFault }

export interface ThreadData {
  readonly path: string
  readonly busyMs: number
  readonly sessionMs: number
}
