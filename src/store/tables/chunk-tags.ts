import type { AuditEntry } from '../../core/audit.ts'
import type { AuditQuery } from '../query.ts'

/** Longest text that is made a tag of: databases take no long keys into an index. */
const LONGEST_TAG = 100

const MARKS = ['t', 'k', 'v', 'a', 'u', 'e', 's'] as const

type TagMark = (typeof MARKS)[number]

/** What cannot be told apart by its tag is told apart when the entries are read. */
function tag(mark: TagMark, text: string): string {
  const short = text.length > LONGEST_TAG ? text.slice(0, LONGEST_TAG) : text
  return mark + (PLAIN.test(short) ? short : short.toWellFormed().replaceAll('\0', ' '))
}

const PLAIN = /^[ -~]*$/

/** What is in a chunk, by mark. Most of its entries say the same: each thing is made a tag once. */
export class Tags {
  readonly #texts = new Map<TagMark, Set<string>>(MARKS.map((mark) => [mark, new Set()]))

  add(entry: AuditEntry): void {
    this.#add('t', entry.tenant_id)
    this.#add('k', entry.kind)
    this.#add('v', entry.event)
    this.#add('a', entry.adapter)
    this.#add('u', entry.actor)
    if (entry.error_type !== null) this.#add('e', entry.error_type)
    for (let hop = 1; hop < entry.path.length; hop++) this.#add('s', entry.path[hop] as string)
  }

  all(): readonly string[] {
    const tags = new Set<string>()
    for (const [mark, texts] of this.#texts) for (const text of texts) tags.add(tag(mark, text))
    return [...tags]
  }

  #add(mark: TagMark, text: string): void {
    ;(this.#texts.get(mark) as Set<string>).add(text)
  }
}

/** Tags that a chunk has if anything in it is asked for. */
export function tagsOf(query: AuditQuery): readonly string[] {
  const { tenant_id, kind, event, adapter, actor, error_type, state } = query
  const asked = { t: tenant_id, k: kind, v: event, a: adapter, u: actor, e: error_type, s: state }
  return Object.entries(asked).flatMap(([mark, text]) =>
    text === undefined ? [] : [tag(mark as TagMark, text)],
  )
}
