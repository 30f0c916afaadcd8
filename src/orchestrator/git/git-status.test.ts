import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { statusPaths } from './git-status.ts'

const HASH = 'a'.repeat(40)

describe('git status', () => {
  it('names what is changed, renamed, in conflict and new, whatever the names are', () => {
    const entries = [
      '# branch.head main',
      `1 .M N... 100644 100644 100644 ${HASH} ${HASH} with space "and" quotes`,
      `2 R. N... 100644 100644 100644 ${HASH} ${HASH} R100 new name`,
      '? no entry of its own',
      `u UU N... 100644 100644 100644 100644 ${HASH} ${HASH} ${HASH} fought over`,
      '? -x\n? y',
      '',
    ]
    expect(statusPaths(entries.join('\0'))).toEqual([
      'with space "and" quotes',
      'new name',
      '? no entry of its own',
      'fought over',
      '-x\n? y',
    ])
  })

  it('is nothing for a clean tree, and garbage does no harm', () => {
    expect(statusPaths('')).toEqual([])
    expect(statusPaths('1 .M\0?')).toEqual([])
    fc.assert(fc.property(fc.string(), (text) => statusPaths(text).every((path) => path !== '')))
  })
})
