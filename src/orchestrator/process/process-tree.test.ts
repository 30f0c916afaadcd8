import { expect, it } from 'vitest'
import type { ProcessRow } from '../../world/processes.ts'
import { ProcessTree } from './process-tree.ts'

const row = (pid: number, fields: Partial<ProcessRow> & { readonly mark?: string } = {}): ProcessRow => ({
  pid,
  parent: 1,
  group: pid,
  session: pid,
  since: 10,
  has: (entry) => entry === fields.mark,
  ...fields,
})

const tree = () => new ProcessTree({ pid: 100, mark: 'M=1' })
const pids = (rows: readonly ProcessRow[]) => rows.map(({ pid }) => pid).sort((a, b) => a - b)

it('is who has its session, its group, its mark, or one of those for a parent', () => {
  const rows = [
    row(104, { parent: 103 }),
    row(103, { parent: 102 }),
    row(100),
    row(101, { session: 100 }),
    row(102, { group: 100 }),
    row(105, { mark: 'M=1' }),
    row(106, { mark: 'M=12' }),
    row(107, { parent: 106 }),
  ]
  expect(pids(tree().among(rows))).toEqual([100, 101, 102, 103, 104, 105])
})

it('knows again who has lost its parent since, and not another of the same number', () => {
  const one = tree()
  expect(pids(one.among([row(100), row(101, { parent: 100, since: 11 })]))).toEqual([100, 101])
  expect(pids(one.among([row(101, { since: 11 })]))).toEqual([101])
  expect(pids(one.among([row(101, { since: 99 })]))).toEqual([])
})
