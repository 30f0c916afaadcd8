import { type AuditEntry, isQuiet, REFUSALS_KEPT_PER_RECORD } from '../../core/audit.ts'
import { refusalName } from './missing.ts'
import type { Loaded, RefusalKey } from './tables.ts'

/** How many refusals of a record there are. */
interface CountedRefusal {
  readonly key: RefusalKey
  readonly job_id: string | null
  readonly from: number
  count: number
  isTold: boolean
}

/** How many refusals there are of which records, as a group of decisions sees it: only so many are kept. */
export class RefusalBook {
  readonly #counted = new Map<string, CountedRefusal>()

  know(wanted: readonly RefusalKey[], loaded: Loaded['refusals']): void {
    const counts = new Map(loaded.map((row) => [refusalName(row), row.count]))
    for (const key of wanted) {
      const from = counts.get(refusalName(key)) ?? 0
      this.#counted.set(refusalName(key), { key, job_id: null, from, count: from, isTold: false })
    }
  }

  has(key: RefusalKey): boolean {
    return this.#counted.has(refusalName(key))
  }

  get(name: string): CountedRefusal | undefined {
    return this.#counted.get(name)
  }

  /** Those of which something is told. */
  told(): readonly CountedRefusal[] {
    return [...this.#counted.values()].filter(({ isTold }) => isTold)
  }

  /** Something is told of it. False when that was told often enough. */
  tell(key: RefusalKey, { event, job_id }: AuditEntry): boolean {
    const counted = this.#counted.get(refusalName(key)) as CountedRefusal
    if (isQuiet(event)) {
      if (counted.count >= REFUSALS_KEPT_PER_RECORD) return false
      counted.count++
    }
    counted.isTold = true
    this.#counted.set(refusalName(key), { ...counted, job_id })
    return true
  }
}
