import type { Page } from '../../store/query.ts'
import type { Session } from '../session.ts'
import { safeJson } from './safe-text.ts'
import { type Column, Table } from './table.ts'
import { countOf, manyOf } from './words.ts'

export interface ListOptions<T> {
  readonly columns: readonly Column<T>[]
  /** One of them, as in `document`. */
  readonly what: string
  /** What to say when there is none. */
  readonly empty: () => string | Promise<string>
  /** How many there may be, for a progress bar when the list goes to a file; absent when nobody knows. */
  readonly total?: (() => Promise<number>) | undefined
}

/** Writes a list as it is read, page by page. What is not shown is said. */
export async function writeList<T>(
  session: Session,
  pages: AsyncIterable<Page<T>>,
  options: ListOptions<T>,
): Promise<void> {
  const { out, notes } = session
  const table = new Table(out, options.columns)
  let shown = 0
  let next: string | null = null
  // A list on the terminal is its own progress.
  const total = out.isTerminal ? undefined : await options.total?.()
  await session.withProgress(async (onProgress) => {
    for await (const page of pages) {
      if (session.isJson) await out.write(page.items.map((item) => `${safeJson(item)}\n`).join(''))
      else if (page.items.length > 0) await table.write(page.items)
      shown += page.items.length
      next = page.next
      if (total !== undefined)
        onProgress({ done: shown, total: Math.max(shown, total), what: manyOf(options.what) })
    }
  })
  if (shown === 0) return notes.hint(await options.empty())
  if (next !== null) {
    const more = `${countOf(shown, options.what)} shown, and there are more`
    await notes.hint(`${more}: --all, a larger --limit, or the next page with --after ${next}`, {
      shown,
      next_cursor: next,
    })
  }
  if (table.leftOut.length > 0) {
    await notes.hint(`No room for ${table.leftOut.join(', ')}: widen the terminal, or use --json.`)
  }
}

/** A list that is there as a whole. */
export async function* onePage<T>(items: readonly T[]): AsyncGenerator<Page<T>> {
  yield { items, next: null }
}
