import { describe, expect, it } from 'vitest'
import { toIso } from '../../../core/time.ts'
import { plainWork } from '../../live/sample-work.ts'
import {
  compareEntries,
  type StoredWork,
  WORK_LISTS,
  type WorkEntries,
  type WorkListName,
} from '../../live/stored-work.ts'
import { GivenRecords, sampleJob, sampleOutbox, sampleRun } from './sample-records.ts'
import { WorkCheck } from './work-check.ts'

type Lists = { readonly [L in WorkListName]: readonly WorkEntries[L][] }

const ready = (rank: number, group: string) => ({ queue: 'q', group, rank, limits: [{ key: 'gpu', max: 2 }] })

const RECORDS = [
  ...[1, 2, 3].flatMap((n) => [
    sampleJob({ job_id: `due ${n}`, due_at: toIso(10 - n) }),
    sampleJob({ job_id: `ready ${n}`, ready: ready(10 - n, n === 3 ? 'z' : 'g') }),
    sampleJob({ job_id: `waits ${n}`, waits_for: ['y', `x${n}`] }),
    sampleOutbox({ job_id: `due ${n}`, outbox_id: `open ${n}`, state: 'PENDING' }),
    sampleOutbox({ job_id: `due ${n}`, outbox_id: `sent ${n}` }),
  ]),
  sampleJob({ job_id: 'ended' }),
  sampleRun(),
]

const LISTS: Lists = {
  ...(new GivenRecords().put(...RECORDS).work as Lists),
  slots: [
    ['default', 'gpu', 'due 1'],
    ['default', 'gpu', 'due 2'],
    ['default', 'in-flight', 'due 1'],
  ],
}

/** All but the places under limits, of which the records do not tell. */
const TOLD = WORK_LISTS.filter((name) => name !== 'slots')

const OTHERS: { readonly [L in WorkListName]: WorkEntries[L] } = {
  due: [99, 'default', 'z'],
  ready: ['q', 'default', 'z', 99, 'z', []],
  waiting: ['default', 'z', 'z'],
  rows: ['default', 'z', 'z'],
  slots: ['default', 'z', 'z'],
}

function problems(lists: Lists, { complete = true, ...groups }: Partial<Said> = {}) {
  const check = new WorkCheck()
  for (const record of RECORDS) check.record(record)
  return check.problems({ ...plainWork(lists), ...groups }, complete)
}

interface Said extends Pick<StoredWork, 'groups' | 'limits'> {
  readonly complete: boolean
}

const OTHER_WORK = ['the work listed is not that of the open jobs']

describe('the check of listed work', () => {
  it('finds nothing where everything is right', () => {
    expect(WORK_LISTS.map((name) => LISTS[name].length)).toEqual([3, 3, 6, 3, 3])
    expect(problems(LISTS)).toEqual([])
    expect(new WorkCheck().problems(plainWork({}), true)).toEqual([])
  })

  it.each(TOLD)('finds what is missing, too much, or altered in the list %s', (name) => {
    const entries: readonly WorkEntries[WorkListName][] = LISTS[name]
    const [most, other] = [entries.slice(0, -1), OTHERS[name]]
    for (const changed of [[], most, entries.slice(1), [...entries, other], [...most, other]]) {
      const lists = { ...LISTS, [name]: changed }
      expect(problems(lists)).toEqual(OTHER_WORK)
      // Who does not look into the records cannot know.
      expect(problems(lists, { complete: false })).toEqual([])
    }
  })

  it('finds an entry that stands in another list of the same shape', () => {
    const [entry, ...rows] = LISTS.rows
    const waiting = [...LISTS.waiting, entry as WorkEntries['rows']].sort(compareEntries)
    expect(problems({ ...LISTS, rows, waiting })).toEqual(OTHER_WORK)
  })

  it('finds limits that are not those of the job', () => {
    const changed = LISTS.ready.map(([queue, tenant_id, group, rank, id]) => {
      return [queue, tenant_id, group, rank, id, [{ key: 'gpu', max: 3 }]] as const
    })
    expect(problems({ ...LISTS, ready: changed })).toEqual(OTHER_WORK)
  })

  it.each(WORK_LISTS)('finds what is out of order, or twice in the list %s, without the records', (name) => {
    const entries: readonly WorkEntries[WorkListName][] = LISTS[name]
    const disorder = (entry: unknown) => `${name}: ${JSON.stringify(entry)} is out of order`
    const reversed = entries.toReversed()
    const last = entries.at(-1) as WorkEntries[WorkListName]
    for (const complete of [true, false]) {
      const found = problems({ ...LISTS, [name]: reversed }, { complete })
      expect(found).toEqual(reversed.slice(1).map(disorder))
    }
    expect(problems({ ...LISTS, [name]: [...entries, last] }, { complete: false })).toEqual([disorder(last)])
  })

  it('finds groups that are not those of the entries', () => {
    const [one, two] = [
      ['q', 'default', 'g', 2],
      ['q', 'default', 'z', 1],
    ] as const
    expect(problems(LISTS, { groups: [one, two] })).toEqual([])
    const [more, other] = [['q', 'default', 'g', 3] as const, ['p', 'default', 'g', 2] as const]
    const wrong = [[], [one], [two, one], [one, two, two], [more], [other, two]]
    for (const groups of wrong) {
      expect(problems(LISTS, { groups })).toEqual(['ready: the groups are not those of the entries'])
    }
    expect(problems(LISTS, { limits: [['default', 'gpu', 3]] })).toEqual([
      'slots: the groups are not those of the entries',
    ])
  })
})
