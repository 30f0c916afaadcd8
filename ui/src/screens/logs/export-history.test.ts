import { describe, expect, it } from 'vitest'
import { readForExport } from './export-history.ts'
import { entries } from './history-fixture.ts'
import type { PageAsked } from './log-feed.ts'

const load = async ({ after, limit }: PageAsked) => {
  const rest = entries(1, 2500)
    .reverse()
    .filter(({ seq }) => after === undefined || seq < Number(after))
  const items = rest.slice(0, limit)
  return { items, next: rest.length > limit ? (items.at(-1)?.cursor ?? null) : null }
}

describe('an export', () => {
  it('has everything that matches, in the order in which it happened, and says how far it is', async () => {
    const progress: number[] = []
    const { records, isMore } = await readForExport({
      load,
      matches: ({ seq }) => seq % 2 === 0,
      onProgress: (n) => progress.push(n),
      signal: new AbortController().signal,
    })
    expect([records.length, records[0]?.seq, records.at(-1)?.seq, isMore]).toEqual([1250, 2, 2500, false])
    expect(progress).toEqual([500, 1000, 1250])
  })

  it('ends somewhere, and says so', async () => {
    const { signal } = new AbortController()
    const asked = { load, matches: () => true, onProgress: () => undefined, signal, most: 1200 }
    const { records, isMore } = await readForExport(asked)
    expect([records.length, records.at(-1)?.seq, isMore]).toEqual([1200, 2500, true])
  })

  it('can be stopped', async () => {
    const stop = new AbortController()
    const reading = readForExport({
      load,
      matches: () => true,
      onProgress: () => stop.abort(),
      signal: stop.signal,
    })
    await expect(reading).rejects.toThrow('aborted')
  })
})
