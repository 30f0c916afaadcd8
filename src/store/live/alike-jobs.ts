import type { Birth } from '../../core/job/birth.ts'
import type { JobForm } from '../../core/job/job-form.ts'
import type { Alike, Stride } from '../../core/job/stride.ts'
import type { Devices, Undo } from './devices.ts'
import type { JobCells } from './job-cells.ts'
import type { Listings } from './listings.ts'
import type { JobCell } from './move.ts'
import type { Pending } from './pending.ts'
import type { StateCounts } from './state-counts.ts'
import type { WorkIndex } from './work-index.ts'

/** The parts of what is in memory that jobs have something in. */
interface Memory {
  readonly cells: JobCells
  readonly work: WorkIndex
  readonly devices: Devices
  readonly counts: StateCounts
  readonly listings: Listings
}

/** Jobs that are alike, in memory as what is their own: nobody makes their records to keep them. */
export class AlikeJobs {
  readonly #memory: Memory

  constructor(memory: Memory) {
    this.#memory = memory
  }

  /** New ones, which later decisions do not see before `decide`. */
  bear(births: readonly Birth[]): PendingBirths {
    return new PendingBirths(this.#memory, births)
  }

  /** One that goes on as others did. */
  stride(stride: Stride): PendingStride {
    const { cells, work, devices } = this.#memory
    const cell = cells.of(stride.tenant_id, stride.job_id)
    const before = (cell.decided ?? cell.durable) as Alike
    cell.decided = stride
    work.take(cell)
    return new PendingStride(this.#memory, stride, cell, before, devices.stride(stride, cell))
  }
}

class PendingBirths implements Pending {
  readonly #memory: Memory
  readonly #births: readonly Birth[]
  readonly #cells: JobCell[] = []

  constructor(memory: Memory, births: readonly Birth[]) {
    this.#memory = memory
    this.#births = births
  }

  /** Shows them to decisions. Nobody has what is theirs, or they would have been answered with that. */
  decide(): void {
    const { cells, devices } = this.#memory
    for (const birth of this.#births) {
      const cell = cells.add(birth.tenant_id, birth.job_id)
      devices.bear(birth, cell)
      cell.decided = birth
      this.#cells.push(cell)
    }
  }

  /** Shows them to whoever takes work, before they are durable. Answers whether there is any. */
  foresee(): boolean {
    for (const [nth, cell] of this.#cells.entries())
      this.#memory.work.foresee(cell, (this.#births[nth] as Birth).ready)
    return true
  }

  settle(): void {
    const { work, listings } = this.#memory
    let counted = 0
    for (let nth = 0; nth < this.#births.length; nth++) {
      const birth = this.#births[nth] as Birth
      const cell = this.#cells[nth] as JobCell
      cell.durable = birth
      work.move(cell, birth, cell.decided !== birth)
      if (cell.decided === birth) cell.decided = null
      if (listings.isAny) for (const part of [...birth.steps, birth.job]) listings.came(part)
      counted++
      if (this.#births[nth + 1]?.form === birth.form) continue
      this.#count(birth.form, counted)
      counted = 0
    }
  }

  #count({ tenant_id, job, steps }: JobForm, n: number): void {
    const { counts } = this.#memory
    counts.add(tenant_id, 'job', job.state, n)
    for (const { state } of steps) counts.add(tenant_id, 'step', state, n)
  }

  takeBack(): void {
    const { cells, work, devices } = this.#memory
    for (let nth = this.#births.length - 1; nth >= 0; nth--) {
      const birth = this.#births[nth] as Birth
      work.foresee(this.#cells[nth] as JobCell, null)
      devices.unbear(birth)
      cells.delete(birth.tenant_id, birth.job_id)
    }
  }
}

class PendingStride implements Pending {
  readonly #memory: Memory
  readonly #stride: Stride
  readonly #cell: JobCell
  readonly #before: Alike
  readonly #undo: Undo | null

  constructor(memory: Memory, stride: Stride, cell: JobCell, before: Alike, undo: Undo | null) {
    this.#memory = memory
    this.#stride = stride
    this.#cell = cell
    this.#before = before
    this.#undo = undo
  }

  /** Shows it to whoever takes work, before it is durable. Answers whether there is any. */
  foresee(): boolean {
    return this.#memory.work.foresee(this.#cell, this.#stride.ready)
  }

  settle(): void {
    const { work, counts, listings } = this.#memory
    const stride = this.#stride
    const cell = this.#cell
    const { tenant_id, leg } = stride
    for (const { kind, from, to } of leg.moved) {
      counts.add(tenant_id, kind, from, -1)
      counts.add(tenant_id, kind, to, 1)
    }
    if (listings.isAny) for (const part of [stride.step, stride.job]) listings.came(part)
    cell.durable = stride
    work.move(cell, stride, cell.decided !== stride)
    if (cell.decided === stride) cell.decided = null
  }

  takeBack(): void {
    const { work } = this.#memory
    const cell = this.#cell
    cell.decided = this.#before === cell.durable ? null : this.#before
    work.foresee(cell, null)
    if (cell.decided === null) work.giveBack(cell)
    this.#undo?.()
  }
}
