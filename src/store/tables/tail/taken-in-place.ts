import { inRows } from '../in-rows.ts'
import type { OnSeen, TakenWork, WriteSet, Written } from '../tables.ts'

type Write = (set: WriteSet, onSeen: OnSeen, write: (onSeen: OnSeen) => Promise<Written>) => Promise<Written>

/** How it is written: when nothing was taken nobody is kept out meanwhile. */
interface Writes {
  readonly unheld: Write
  readonly held: Write
}

/** Work that was taken in place: whoever took it leaves when it is written or given back. */
export function takenInPlace(taken: TakenWork, leave: () => void, { unheld, held }: Writes): TakenWork {
  let isOver = false
  const end = () => {
    if (!isOver) leave()
    isOver = true
  }
  const isNothing = taken.jobs.length + taken.requests.length === 0
  if (isNothing) end()
  return {
    ...taken,
    load: (wanted) => taken.load(wanted),
    write: async (given, onSeen = () => false) => {
      const set = inRows(given)
      const write = (seen: OnSeen) => taken.write(set, seen)
      if (isNothing) return unheld(set, onSeen, write)
      try {
        return await held(set, onSeen, write)
      } finally {
        end()
      }
    },
    release: async () => {
      try {
        await taken.release()
      } finally {
        end()
      }
    },
  }
}
