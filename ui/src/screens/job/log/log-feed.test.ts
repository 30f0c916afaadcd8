import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../api/client.ts'
import { LogFeed, type ReadPart } from './log-feed.ts'

/** Cuts as the server does: at the end of a line where there is one. */
function serving(log: { text: string; isOver: boolean }): ReadPart {
  return (part) => {
    const size = log.text.length
    const offset = 'tail' in part ? Math.max(0, size - part.tail) : part.offset
    if (offset > size) return Promise.reject(new ApiError(400, { field: 'offset' }))
    const most = 'tail' in part ? size : Math.min(size, offset + part.limit)
    const line = log.text.lastIndexOf('\n', most - 1) + 1
    const end = (most === size && log.isOver) || line <= offset ? most : line
    const is_complete = log.isOver && end === size
    return Promise.resolve({ text: log.text.slice(offset, end), offset, next_offset: end, size, is_complete })
  }
}

/** Resolves when what is seen is as wanted. */
function until(feed: LogFeed, isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isSo()) return
      stop()
      resolve()
    }
    const stop = feed.subscribe(look)
    look()
  })
}

const textOf = (lines: number) => Array.from({ length: lines }, (_, i) => `line ${i} of a log\n`).join('')

describe('reading a log', () => {
  it('reads one that is short as a whole', async () => {
    const text = textOf(60_000)
    const feed = new LogFeed(serving({ text, isOver: true }))
    feed.poke()
    await until(feed, () => feed.seen.isFromStart)
    expect(feed.seen).toMatchObject({ status: 'complete', lines: 60_000, size: text.length })
    expect(feed.buffer.texts().join('')).toBe(text)
  })

  it('has the end of a long one, and the rest when it is asked for', async () => {
    const text = textOf(400_000)
    const feed = new LogFeed(serving({ text, isOver: true }))
    feed.poke()
    await until(feed, () => feed.seen.status === 'complete')
    expect(feed.seen.isFromStart).toBe(false)
    const { lines } = feed.seen
    await feed.loadEarlier()
    expect(feed.seen.earlier).toBe(feed.seen.lines - lines)
    await feed.loadAll()
    expect(feed.seen).toMatchObject({ isFromStart: true, progress: null, lines: 400_000 })
    expect(feed.buffer.line(399_999)).toBe('line 399999 of a log')
  })

  it('follows what comes until the end', async () => {
    const log = { text: 'one\n', isOver: false }
    const feed = new LogFeed(serving(log))
    feed.poke()
    await until(feed, () => feed.seen.lines === 1)
    log.text += 'two\nthree'
    log.isOver = true
    feed.poke()
    await until(feed, () => feed.seen.status === 'complete')
    expect(feed.buffer.texts().join('')).toBe('one\ntwo\nthree')
    feed.stop()
  })

  it('says that there is none, and looks again when something happens', async () => {
    let read: ReadPart = () => Promise.reject(new ApiError(404, {}))
    const feed = new LogFeed((part, signal) => read(part, signal))
    feed.poke()
    await until(feed, () => feed.seen.status === 'missing')
    read = serving({ text: 'now\n', isOver: true })
    await Promise.resolve()
    feed.poke()
    await until(feed, () => feed.seen.status === 'complete')
    expect(feed.seen.lines).toBe(1)
  })

  it('begins again when the log is another one', async () => {
    const log = { text: 'a long first line\n', isOver: false }
    const feed = new LogFeed(serving(log))
    feed.poke()
    await until(feed, () => feed.seen.lines === 1)
    log.text = 'new\n'
    log.isOver = true
    feed.poke()
    await until(feed, () => feed.seen.status === 'complete')
    expect(feed.buffer.texts().join('')).toBe('new\n')
  })
})
