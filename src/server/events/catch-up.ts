// How a client gets from a place that is no longer in memory to one that is: page by page from the log. Only so many
// read at once, one page each, then it is the next one's turn, and those at the same place read the same page; so a
// thousand who come back together do not read the log a thousand times.
//
// How the two meet. Before a page is read we note how far the ring has come. If the page is the last one, then all that
// is for the client up to the place noted was in it, because that was durable before. So it goes on from there or from the
// last entry of the page, whichever is later; and if the ring has moved on meanwhile, there is another page.
import { LedgerClosed } from '../../errors/input-errors.ts'
import type { Cursor } from '../../store/query.ts'
import { Turns } from '../../wire/turns.ts'
import type { World } from '../../world/world.ts'
import type { EventClient } from './event-client.ts'
import { type FollowedLedger, pauseAfter } from './follow-log.ts'
import { type Frame, type Gap, gapOf, type Place, placeOf } from './frame.ts'
import { BATCH_BYTES, type FrameRing } from './frame-ring.ts'
import { gapAfter } from './gap.ts'
import { SharedPages } from './shared-pages.ts'

export interface CatchUpOptions {
  readonly ledger: FollowedLedger
  readonly world: Pick<World, 'timers' | 'logger'>
  readonly ring: () => FrameRing
  /** How many read at once. */
  readonly readers: number
}

export interface Located {
  readonly place: Place
  /** What is missing after it. */
  readonly gap: Gap | null
}

/** Somebody who takes longer than that for a part of a page gives its turn to others, and reads the rest again. */
const PATIENCE_MS = 250

/** A place that is looked for is looked for on behalf of all who ask, also when one of them leaves. */
const NEVER = new AbortController().signal

export class CatchUp {
  readonly #options: CatchUpOptions
  readonly #turns: Turns
  readonly #pages: SharedPages
  readonly #locating = new Map<Cursor, Promise<Located>>()
  #running = 0

  constructor(options: CatchUpOptions) {
    this.#options = options
    this.#turns = new Turns(options.readers)
    this.#pages = new SharedPages(options.ledger)
  }

  /** Where a cursor stands that is not in the ring. Throws `BadCursor` for what is none. */
  locate(cursor: Cursor): Promise<Located> {
    const known = this.#locating.get(cursor)
    if (known !== undefined) return known
    const locating = this.#locate(cursor).finally(() => this.#locating.delete(cursor))
    this.#locating.set(cursor, locating)
    return locating
  }

  async #locate(cursor: Cursor): Promise<Located> {
    using _turn = await this.#turns.enter(NEVER)
    const { audit } = this.#options.ledger
    const next = async () => (await audit.query({ after: cursor, limit: 1 })).items[0]
    let first = await next()
    if (first === undefined) {
      // It is the end of the log, or was: what comes after the last entry comes after it, if it is still the end then.
      const [last] = (await audit.query({ direction: 'desc', limit: 1 })).items
      first = await next()
      if (first === undefined) {
        const place = { cursor, seq: last?.seq ?? 0 }
        return { place, gap: last === undefined ? await gapAfter(this.#options.ledger, place) : null }
      }
    }
    // If it comes before the oldest entry that is left, its own is gone. Perhaps that was the last to go, and nothing is
    // missing; only the engine can read that from a cursor.
    const gap = await gapAfter(this.#options.ledger, { cursor, seq: 0 })
    return {
      place: { cursor, seq: first.seq - 1 },
      gap: gap?.oldest === first.cursor ? gap : null,
    }
  }

  /** Resolves when the ring has all that comes next for the client: true; or when there is no use in it. */
  async run(client: EventClient): Promise<boolean> {
    this.#running++
    try {
      return await this.#run(client)
    } finally {
      if (--this.#running === 0) this.#pages.forget()
    }
  }

  async #run(client: EventClient): Promise<boolean> {
    const { ring, world } = this.#options
    for (let failures = 0; client.isOpen && !ring().covers(client.place); ) {
      await client.drained()
      try {
        using _turn = await this.#turns.enter(client.ended)
        await this.#page(client)
        failures = 0
      } catch (error) {
        if (!client.isOpen || error instanceof LedgerClosed) return false
        world.logger.error({ error }, 'The history could not be read for a client, and is read again')
        await pauseAfter(failures++, world, client.ended)
      }
    }
    return client.isOpen
  }

  async #page(client: EventClient): Promise<void> {
    const { ledger, ring } = this.#options
    const { selection, place: from } = client
    const { end } = ring()
    if (selection.query === null) {
      client.passOver(end)
      return
    }
    const { noted, frames, first, last, isLast } = await this.#pages.read(selection, from, end)
    if (first?.seq !== from.seq + 1) {
      const gap = await gapAfter(ledger, from)
      if (gap !== null) client.tell(gapOf(gap))
      // Nothing for it before the first: so it is told once.
      if (first !== null) client.passOver({ cursor: from.cursor, seq: first.seq - 1 })
    }
    // While this one is sent, the next is read already: or whoever writes at full speed would always be ahead.
    if (last !== null && !isLast) void this.#pages.read(selection, last, ring().end)
    if (!(await this.#sendAll(client, frames))) return
    const seen = last ?? from
    client.passOver(isLast && noted.seq > seen.seq ? noted : seen)
  }

  /** In parts. False when it does not take them all: it stands at the last one that it took. */
  async #sendAll(client: EventClient, frames: readonly Frame[]): Promise<boolean> {
    for (let from = 0; from < frames.length; ) {
      if (!(await client.drained(PATIENCE_MS)) || !client.isOpen) return false
      let end = from
      let bytes = 0
      while (end < frames.length && (end === from || bytes + sizeOf(frames[end]) <= BATCH_BYTES)) {
        bytes += sizeOf(frames[end++])
      }
      const part = frames.slice(from, end)
      const all = Buffer.concat(part.map((frame) => frame.bytes))
      client.send(all, { frames: part.length, place: placeOf(part.at(-1) as Frame) })
      from = end
    }
    return true
  }
}

function sizeOf(frame: Frame | undefined): number {
  return frame?.bytes.length ?? 0
}
