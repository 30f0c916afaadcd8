import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Live } from './live.ts'
import { sessionQuery } from './session.ts'

class FakeSource {
  static last: FakeSource | null = null
  static readonly CLOSED = 2
  onopen = () => undefined
  onerror = () => undefined
  readyState = 0
  onmessage: (event: { data: string; lastEventId: string }) => void = () => undefined
  constructor() {
    FakeSource.last = this
  }
  addEventListener() {}
  close() {}
}

let client: QueryClient
let live: Live
let happens: (kind: string) => void

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('EventSource', FakeSource)
  client = new QueryClient()
  live = new Live(client)
  live.follow('*')
  happens = (kind) => FakeSource.last?.onmessage({ data: JSON.stringify({ kind }), lastEventId: '1' })
})
afterEach(() => {
  live.stop()
  client.clear()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** A question about jobs that somebody looks at; it takes so long to answer. */
function asked(takesMs: number, restMs = 0) {
  const answer = vi.fn(
    () => new Promise((resolve) => setTimeout(() => resolve(answer.mock.calls.length), takesMs)),
  )
  const observer = new QueryObserver(client, {
    queryKey: ['jobs'],
    queryFn: answer,
    meta: { topics: ['job'], restMs },
    retry: false,
  })
  const stop = observer.subscribe(() => undefined)
  return { answer, stop, shown: () => observer.getCurrentResult().data }
}

describe('what is on the screen', () => {
  it('is asked for again at once when something happens to it, and not for others', async () => {
    const { answer, stop, shown } = asked(10)
    await vi.advanceTimersByTimeAsync(20)
    happens('document')
    await vi.advanceTimersByTimeAsync(20)
    expect(answer).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(500)
    happens('job')
    await vi.advanceTimersByTimeAsync(20)
    expect(shown()).toBe(2)
    stop()
  })

  it('is answered even when answers take longer than news take to come', async () => {
    const { answer, stop, shown } = asked(1200)
    for (let i = 0; i < 40; i++) {
      happens('job')
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(shown()).toBeGreaterThanOrEqual(2)
    // One at a time.
    expect(answer.mock.calls.length).toBeLessThanOrEqual(4)
    stop()
  })

  it('does not miss what happened while it was being answered', async () => {
    const { stop, shown } = asked(700)
    await vi.advanceTimersByTimeAsync(100)
    happens('job')
    await vi.advanceTimersByTimeAsync(3000)
    expect(shown()).toBe(2)
    stop()
  })

  it('gives the server a rest where it has to work for an answer', async () => {
    const { answer, stop } = asked(10, 2000)
    await vi.advanceTimersByTimeAsync(20)
    for (let i = 0; i < 35; i++) {
      happens('job')
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(answer).toHaveBeenCalledTimes(2)
    await vi.advanceTimersByTimeAsync(3000)
    expect(answer).toHaveBeenCalledTimes(3)
    stop()
  })

  it('is left alone for a while after it could not be answered', async () => {
    const { answer, stop } = asked(10)
    answer.mockImplementation(() => Promise.reject(new Error('away')))
    await vi.advanceTimersByTimeAsync(20)
    for (let i = 0; i < 35; i++) {
      happens('job')
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(answer.mock.calls.length).toBeLessThanOrEqual(3)
    stop()
  })
})

describe('a stream that the server refused', () => {
  it('has the reader looked up again: nobody else would notice that a session is over', async () => {
    const who = vi.fn(() => Promise.resolve('ann'))
    const observer = new QueryObserver(client, { ...sessionQuery, queryFn: who as never })
    const stop = observer.subscribe(() => undefined)
    await vi.advanceTimersByTimeAsync(20)
    refuse(0)
    await vi.advanceTimersByTimeAsync(20)
    expect(who).toHaveBeenCalledTimes(1)
    refuse(FakeSource.CLOSED)
    await vi.advanceTimersByTimeAsync(20)
    expect(who).toHaveBeenCalledTimes(2)
    stop()
  })

  function refuse(readyState: number) {
    const source = FakeSource.last
    if (source === null) return
    source.readyState = readyState
    source.onerror()
  }
})
