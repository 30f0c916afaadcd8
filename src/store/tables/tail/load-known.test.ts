// A worker of a process that had submitted 250,000 jobs waited for eight seconds before it took the first of them: that one had been put
// in its place long before, but as not all new jobs were kept in mind any more, all of them were put there to be sure.
import { expect, it } from 'vitest'
import { newJob, setOf, wantedOf } from '../../../../test/tables/sample-set.ts'
import type { Birth } from '../../../core/job/birth.ts'
import { type JobRow, NOTHING_LOADED, type Written } from '../tables.ts'
import { Known } from './known.ts'
import { loadKnown } from './load-known.ts'
import type { Tail } from './tail.ts'

const MORE_THAN_ARE_KEPT = 200_001

function manyBirths(): readonly Birth[] {
  return Array.from({ length: MORE_THAN_ARE_KEPT }, (_, nth) => {
    return { tenant_id: 't', job_id: `new-${nth}` } as unknown as Birth
  })
}

/** Where one job is. */
function tailOf(there: JobRow): Tail {
  const load: Tail['load'] = async ({ jobs }) => {
    return { ...NOTHING_LOADED, jobs: jobs.some(({ id }) => id === there.job_id) ? [there] : [] }
  }
  return { load } as Tail
}

it('reads a job where it is found, however many new ones are in the tail', async () => {
  const known = new Known({ turn: 0, seq: 0 }, false)
  const set = setOf({})
  const sent = known.send(set)
  known.arrived(sent, { head: { seq: 1 } } as Written, { cells: [], births: manyBirths() })
  const old = newJob('old')
  const jobs = (id: string) => wantedOf({ jobs: [{ kind: 'job', tenant_id: 't', id }] })
  expect((await loadKnown(known, tailOf(old), jobs('old')))?.jobs).toEqual([old])
  // It may be one of those that are in the tail, and not kept in mind.
  expect(await loadKnown(known, tailOf(old), jobs('new-0'))).toBeNull()
})
