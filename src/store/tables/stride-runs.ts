import type { Leg } from '../../core/job/leg.ts'
import type { Alike, Stride } from '../../core/job/stride.ts'
import { fromIso } from '../../core/time.ts'
import type { Cell } from './cell.ts'
import { changedAtOf, hasEnded, stateOf } from './glance.ts'
import { type MovingPiece, movingOf, movingPieces } from './moving-text.ts'
import type { ChangedJob, DueKey, ReadyKey, WriteSet } from './tables.ts'

/** Jobs that went the same way at one time: their rows differ in what stands between the pieces. */
export interface StrideRun {
  readonly strides: readonly Stride[]
  /** What all of them say of themselves by now. */
  readonly pieces: readonly MovingPiece[]
  readonly columns: Omit<ChangedJob, 'job_id' | 'moving'>
  /** Where each of them was ready before; null where none was. */
  readonly place: Pick<ReadyKey, 'queue' | 'group'> | null
  /** When each of them is due by now, and whether it was before. */
  readonly due: number | null
  readonly wasDue: boolean
}

/** For fewer it takes as long to say what they have in common. */
const FEWEST = 4

/** Finds those that went the same way among what a group of decisions changed. */
export class StrideRuns {
  readonly #all: Beginning[] = []
  readonly #ofLegs = new Map<Leg, Beginning>()

  /** False when it has something of its own besides: it is to have a row. */
  add(cell: Cell, stride: Stride): boolean {
    // It goes on from what is stored, or was born a moment ago, and is not ready again.
    if (stride.before !== (cell.stored.aggregate ?? stride.birth) || stride.ready !== null) return false
    let run = this.#ofLegs.get(stride.leg)
    if (run?.isFor(cell, stride) !== true) {
      run = new Beginning(cell, stride)
      this.#ofLegs.set(stride.leg, run)
      this.#all.push(run)
    }
    run.cells.push(cell)
    return true
  }

  /** The runs, and those that are left. */
  end(): { readonly runs: readonly StrideRun[]; readonly left: readonly Cell[] } {
    const runs: StrideRun[] = []
    const left: Cell[] = []
    for (const one of this.#all) {
      const run = one.end()
      if (run === null) left.push(...one.cells)
      else runs.push(run)
    }
    return { runs, left }
  }
}

class Beginning {
  readonly cells: Cell[] = []
  readonly #first: Cell
  readonly #stride: Stride

  constructor(cell: Cell, stride: Stride) {
    this.#first = cell
    this.#stride = stride
  }

  isFor(cell: Cell, { now, before, birth }: Stride): boolean {
    const first = this.#first
    const one = this.#stride
    return (
      now === one.now &&
      cell.version === first.version &&
      birth.form === one.birth.form &&
      (before.due_at === null) === (one.before.due_at === null) &&
      isSamePlace(before, one.before) &&
      isSame(cell.holds, first.holds) &&
      cell.isTold === first.isTold
    )
  }

  end(): StrideRun | null {
    const { cells } = this
    const stride = this.#stride
    const pieces = cells.length < FEWEST ? null : movingPieces(stride, cells.length)
    if (pieces === null) return null
    const { version, holds, isTold, stored } = this.#first
    const { ready, due_at } = stride.before
    return {
      strides: cells.map(({ now }) => now as Stride),
      pieces,
      columns: {
        tenant_id: stored.key.tenant_id,
        version,
        from: version - 1,
        holds,
        isTold,
        state: stateOf(stride),
        changed_at: changedAtOf(stride),
        is_ended: hasEnded(stride),
        open_rows: 0,
      },
      place: ready === null ? null : { queue: ready.queue, group: ready.group },
      due: stride.due_at === null ? null : fromIso(stride.due_at),
      wasDue: due_at !== null,
    }
  }
}

function isSamePlace({ ready: a }: Alike, { ready: b }: Alike): boolean {
  return a === b || (a !== null && b !== null && a.queue === b.queue && a.group === b.group)
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((text, index) => text === b[index]))
}

/** Where a job of a run was ready, and when it was due. */
export function rankBefore({ birth }: Stride): number {
  return birth.ready.rank
}

export function dueBefore({ before }: Stride): number {
  return fromIso(before.due_at as string)
}

/** The same with a row for every job that moved. */
export function withMoved(set: WriteSet): WriteSet {
  if (set.strides.length === 0) return set
  const jobs: ChangedJob[] = []
  const drops: ReadyKey[] = []
  const due = { adds: [] as DueKey[], drops: [] as DueKey[] }
  for (const { strides, columns, place, due: due_at, wasDue } of set.strides) {
    const { tenant_id } = columns
    for (const stride of strides) {
      const { job_id } = stride
      jobs.push({ ...columns, job_id, moving: movingOf(stride) })
      if (place !== null) drops.push({ ...place, tenant_id, rank: rankBefore(stride), job_id })
      if (due_at !== null) due.adds.push({ due_at, tenant_id, job_id })
      if (wasDue) due.drops.push({ due_at: dueBefore(stride), tenant_id, job_id })
    }
  }
  return {
    ...set,
    strides: [],
    jobs: [...jobs, ...set.jobs],
    ready: { adds: set.ready.adds, drops: [...drops, ...set.ready.drops] },
    due: { adds: [...due.adds, ...set.due.adds], drops: [...due.drops, ...set.due.drops] },
  }
}
