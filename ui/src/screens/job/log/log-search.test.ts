import { describe, expect, it } from 'vitest'
import { LogBuffer } from './log-buffer.ts'
import { LogSearch } from './log-search.ts'

describe('searching a log', () => {
  it('finds lines in parts, in whatever case, colours or not', () => {
    const buffer = new LogBuffer()
    buffer.append('ok\n\u001b[31mFa\u001b[0miled once\nok\nfailed twice\n')
    const search = new LogSearch('FAILED', buffer)
    expect(search.look(2)).toBe(false)
    expect(search.hits).toEqual([1])
    expect(search.look(100)).toBe(true)
    expect(search.hits).toEqual([1, 3])
  })

  it('goes on with what comes, and with a line that grows', () => {
    const buffer = new LogBuffer()
    buffer.append('one\nfai')
    const search = new LogSearch('failed', buffer)
    expect(search.look(100)).toBe(true)
    buffer.append('led\nfailed\n')
    search.look(100)
    search.look(100)
    expect(search.hits).toEqual([1, 2])
  })

  it('ends when there are more than anybody looks at', () => {
    const search = new LogSearch('x', { lines: 1_000_000, line: () => 'x' })
    expect(search.look(1_000_000)).toBe(true)
    expect(search.isFull).toBe(true)
    expect(search.hits.length).toBe(10_000)
  })
})
