import { describe, expect, it } from 'vitest'
import type { HistoryRecord } from '../../api/live.ts'
import { entries, entry } from './history-fixture.ts'
import { LogBuffer } from './log-buffer.ts'
import { type FeedOptions, LogFeed, type PageAsked } from './log-feed.ts'

/** A server with a history that grows, and answers that can be held back. */
function server(history: HistoryRecord[]) {
  let held: Promise<void> | null = null
  let isGone = false
  const asked: PageAsked[] = []
  const load: FeedOptions['load'] = async (page) => {
    asked.push(page)
    if (isGone) throw new Error('gone')
    const { direction, limit, after } = page
    const place = after === undefined ? (direction === 'asc' ? 0 : Number.POSITIVE_INFINITY) : Number(after)
    const rest =
      direction === 'asc'
        ? history.filter(({ seq }) => seq > place)
        : history.filter(({ seq }) => seq < place).reverse()
    const items = rest.slice(0, limit)
    const answer = { items, next: rest.length > limit ? (items.at(-1)?.cursor ?? null) : null }
    await held
    return answer
  }
  return {
    load,
    asked,
    happens: (...more: HistoryRecord[]) => history.push(...more),
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return () => {
        held = null
        resolve()
      }
    },
    set isGone(value: boolean) {
      isGone = value
    },
  }
}

function feedOf(history: HistoryRecord[], options: Partial<FeedOptions> = {}) {
  const from = server(history)
  const later: (() => void)[] = []
  const feed = new LogFeed({
    load: from.load,
    matches: () => true,
    soon: (run) => later.push(run),
    at: null,
    ...options,
  })
  const frame = () => {
    for (const run of later.splice(0)) run()
  }
  return { feed, from, frame, seqs: () => feed.buffer.records.map(({ seq }) => seq) }
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

describe('the log that is shown', () => {
  it('is the newest page, and what happens from then on, a batch at a time', async () => {
    const { feed, frame, seqs } = feedOf(entries(1, 700))
    await feed.start()
    expect([seqs(), feed.hasOlder, feed.hasNewer]).toEqual([range(201, 700), true, false])
    const { version } = feed
    for (const record of entries(701, 750)) feed.heard(record)
    expect(feed.version).toBe(version)
    frame()
    expect([feed.version, seqs(), feed.arrived]).toEqual([version + 1, range(201, 750), 50])
  })

  it('has nothing twice and leaves nothing out of what happens while the first page is on its way', async () => {
    const { feed, from, frame, seqs } = feedOf(entries(1, 10))
    const letGo = from.hold()
    const started = feed.start()
    from.happens(...entries(11, 13))
    for (const record of entries(9, 13)) feed.heard(record)
    frame()
    letGo()
    await started
    expect(seqs()).toEqual(range(1, 13))
  })

  it('does not take what is older than its page for news', async () => {
    const { feed, from, seqs } = feedOf(entries(1, 600))
    const letGo = from.hold()
    const started = feed.start()
    feed.heard(entry(50))
    letGo()
    await started
    expect(seqs()).toEqual(range(101, 600))
  })

  it('reads what happened before the stream began', async () => {
    const { feed, from, seqs, frame } = feedOf(entries(1, 10))
    await feed.start()
    from.happens(...entries(11, 20))
    const letGo = from.hold()
    const caught = feed.catchUp()
    feed.heard(entry(21))
    frame()
    letGo()
    await caught
    expect([seqs(), feed.hasNewer]).toEqual([range(1, 21), false])
  })

  it('reads the first page when there was nothing before', async () => {
    const { feed, from, seqs } = feedOf([])
    await feed.start()
    from.happens(...entries(1, 3))
    await feed.catchUp()
    expect(seqs()).toEqual([1, 2, 3])
  })

  it('reads older pages up to the beginning, past those in which nothing matches', async () => {
    const { feed, from, seqs } = feedOf(entries(1, 2000), { matches: ({ seq }) => seq > 1900 || seq < 5 })
    await feed.start()
    await feed.loadOlder()
    expect([seqs(), feed.hasOlder, from.asked.length]).toEqual([[1, 2, 3, 4, ...range(1901, 2000)], false, 4])
    await feed.loadOlder()
    expect(from.asked).toHaveLength(4)
  })

  it('takes what matches only', async () => {
    const { feed, frame, seqs } = feedOf(entries(1, 4), { matches: ({ seq }) => seq % 2 === 0 })
    await feed.start()
    for (const record of entries(5, 8)) feed.heard(record)
    frame()
    expect([seqs(), feed.arrived]).toEqual([[2, 4, 6, 8], 2])
  })

  it('lets the oldest go while it is followed, and reads them again', async () => {
    const buffer = new LogBuffer({ records: 600, weight: 1e9 })
    const { feed, frame, seqs, from } = feedOf(entries(1, 500), { buffer })
    await feed.start()
    expect(feed.hasOlder).toBe(false)
    from.happens(...entries(501, 601))
    for (const record of entries(501, 601)) feed.heard(record)
    frame()
    expect([seqs(), feed.hasOlder]).toEqual([range(17, 601), true])
    await feed.loadOlder()
    expect(seqs()[0]).toBe(1)
  })

  it('lets the newest go while somebody reads the older ones, counts them, and gets there again', async () => {
    const buffer = new LogBuffer({ records: 600, weight: 1e9 })
    const { feed, frame, seqs, from } = feedOf(entries(1, 900), { buffer })
    await feed.start()
    feed.isFollowed = false
    await feed.loadOlder()
    expect([seqs()[0], seqs().at(-1), feed.hasNewer, feed.hasOlder]).toEqual([1, 585, true, false])
    from.happens(...entries(901, 905))
    for (const record of entries(901, 905)) feed.heard(record)
    frame()
    expect([seqs().at(-1), feed.arrived]).toEqual([585, 5])
    await feed.loadNewer()
    expect([seqs().at(-1), feed.hasNewer, feed.hasOlder, seqs().length]).toEqual([905, false, true, 585])
    feed.heard(entry(906))
    frame()
    expect(seqs().at(-1)).toBe(906)
  })

  it('stops to grow when nobody is at its end', async () => {
    const buffer = new LogBuffer({ records: 600, weight: 1e9 })
    const { feed, frame, seqs } = feedOf(entries(1, 500), { buffer })
    await feed.start()
    feed.isFollowed = false
    for (const record of entries(501, 700)) feed.heard(record)
    frame()
    expect([seqs()[0], seqs().length, feed.hasNewer, feed.arrived]).toEqual([1, 585, true, 200])
  })

  it('goes to the newest from anywhere', async () => {
    const { feed, seqs } = feedOf(entries(1, 2000), { at: '300' })
    await feed.start()
    await feed.toEnd()
    expect([seqs()[0], seqs().at(-1), feed.hasNewer]).toEqual([1501, 2000, false])
  })

  it('begins with what is around a place', async () => {
    const { feed, seqs } = feedOf(entries(1, 2000), { at: '300' })
    await feed.start()
    expect([seqs(), feed.hasOlder, feed.hasNewer]).toEqual([range(50, 549), true, true])
    await feed.loadOlder()
    await feed.loadNewer()
    expect([seqs()[0], seqs().at(-1), feed.hasOlder]).toEqual([1, 1549, false])
    await feed.loadNewer()
    expect([seqs().at(-1), feed.hasNewer]).toEqual([2000, false])
  })

  it('begins with the first entry, too', async () => {
    const { feed, seqs } = feedOf(entries(1, 20), { at: '1' })
    await feed.start()
    expect([seqs(), feed.hasNewer]).toEqual([range(1, 20), false])
  })

  it('keeps what it has when the server is gone, and goes on afterwards', async () => {
    const { feed, from, seqs } = feedOf(entries(1, 1200))
    await feed.start()
    from.isGone = true
    await feed.loadOlder()
    expect([feed.status, String(feed.error), seqs().length, feed.isLoadingOlder]).toEqual([
      'ready',
      'Error: gone',
      500,
      false,
    ])
    await feed.catchUp()
    expect(feed.hasNewer).toBe(true)
    from.isGone = false
    from.happens(entry(1201))
    await feed.catchUp()
    expect([seqs().at(-1), feed.error, feed.hasNewer]).toEqual([1201, null, false])
  })

  it('begins again when it could not', async () => {
    const { feed, from, seqs } = feedOf(entries(1, 3))
    from.isGone = true
    await feed.start()
    expect(feed.status).toBe('failed')
    from.isGone = false
    await feed.catchUp()
    expect([feed.status, seqs()]).toEqual(['ready', [1, 2, 3]])
  })

  it('shows that entries are gone', async () => {
    const history = entries(1, 3)
    const { feed, from } = feedOf(history)
    await feed.start()
    from.happens(entry(9))
    feed.heardGap()
    await new Promise(setImmediate)
    expect(
      feed.buffer.records.filter((record) => feed.buffer.isAfterGap(record)).map(({ seq }) => seq),
    ).toEqual([9])
  })

  it('is over when it is closed', async () => {
    const { feed, from, frame, seqs } = feedOf(entries(1, 3))
    let changes = 0
    feed.subscribe(() => changes++)
    const letGo = from.hold()
    const started = feed.start()
    feed.close()
    letGo()
    await started
    feed.heard(entry(4))
    frame()
    expect([seqs(), changes, feed.status]).toEqual([[], 1, 'loading'])
  })
})
