import type { RecordKind } from '../../core/machines/all.ts'

/** A part of the log: the entries of one transaction. */
export interface NewChunk {
  /** As JSON, in order. */
  readonly entries: string
  /** Places in the log that they take. */
  readonly places: number
  readonly first_at: number
  readonly last_at: number
  readonly tags: readonly string[]
  /** How long records stayed in the states that they left, as JSON. */
  readonly sketch: string
}

/** Whose history; all that is given has to fit. */
export interface About {
  readonly tenant_id: string | undefined
  readonly kind: RecordKind | undefined
  readonly id: string | undefined
  readonly job_id: string | undefined
  readonly doc_id: string | undefined
}

export interface Chunk {
  readonly first_seq: number
  readonly entries: string
}

export interface ChunkSelect {
  /** Only these; all when absent. */
  readonly ids?: readonly number[] | undefined
  /** All of these are among its tags. */
  readonly tags: readonly string[]
  /** Chunks that may hold something of this time. */
  readonly from: number | undefined
  readonly before: number | undefined
  /** Chunks with a place after this one, or before it where the newest come first. */
  readonly seq: number
  readonly isDescending: boolean
  readonly limit: number
}

/**
 * A part of the log that tells of something so much earlier than what was told before it is late. All others lie in the log
 * where their time is, give or take this; those that are late are looked for by themselves.
 */
export const LATE_MS = 3_600_000

export interface SketchSelect {
  readonly from: number | undefined
  readonly before: number | undefined
  readonly after: number
  readonly limit: number
}

export interface ChunkSketch {
  readonly first_seq: number
  readonly first_at: number
  readonly last_at: number
  readonly sketch: string
}
