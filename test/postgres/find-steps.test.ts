import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresTables, type PostgresTables } from '../../src/store/postgres/postgres-tables.ts'
import type { Find } from '../../src/store/tables/tables.ts'
import { realWorld } from '../../src/world/world.ts'
import { findOf } from '../tables/sample-set.ts'
import { freshSchema, type TestServer, testServer } from './server.ts'
import { newJob, setOf } from './sets.ts'

/** Every id of up to five of these: jobs, steps and slashes come in all possible orders. */
const LETTERS = ['!', '/', 'a']

function idsOf(length: number): string[] {
  const shorter = length === 1 ? [''] : idsOf(length - 1)
  return [...new Set([...shorter, ...shorter.flatMap((id) => LETTERS.map((letter) => id + letter))])]
}

const IDS = idsOf(5).filter((id) => id !== '')

/** Few have it, so that many jobs have to be looked at. */
const isRare = (index: number) => index % 90 === 17

describe('steps in PostgreSQL', () => {
  let server: TestServer
  let tables: PostgresTables

  beforeAll(async () => {
    server = await testServer()
    tables = await openPostgresTables(server.url, realWorld, { schema: freshSchema() })
    const moving = JSON.stringify({ steps: { 0: { state: 'SUCCEEDED' } } })
    const jobs = IDS.map((id, index) =>
      newJob(id, { tenant_id: index % 2 === 0 ? 't1' : 't2', moving: isRare(index) ? moving : null }),
    )
    await tables.write(setOf({ newJobs: jobs }))
  })

  afterAll(async () => {
    await tables.close()
    await server.stop()
  })

  const all = IDS.flatMap((id, index) =>
    ['s1', 's2'].map((step) => ({
      tenant_id: index % 2 === 0 ? 't1' : 't2',
      id: `${id}/${step}`,
      isRare: isRare(index) && step === 's1',
    })),
  ).sort((a, b) => (a.tenant_id + a.id < b.tenant_id + b.id ? -1 : 1))

  async function pages(more: Partial<Find>): Promise<readonly string[]> {
    const found: string[] = []
    for (let after: Find['after'] = null; ; ) {
      const steps = await tables.findSteps(findOf({ limit: 41, ...more, after }))
      for (const { job, step_index } of steps) {
        const id = `${job.job_id}/s${step_index + 1}`
        found.push(`${job.tenant_id} ${id}`)
        after = { at: 0, tenant_id: job.tenant_id, id }
      }
      if (steps.length < (more.limit ?? 41)) return found
    }
  }

  const names = (steps: typeof all) => steps.map(({ tenant_id, id }) => `${tenant_id} ${id}`)

  it.each([false, true])(
    'are found page by page in the order of their own ids (descending: %s)',
    async (isDescending) => {
      const expected = isDescending ? [...all].reverse() : all
      expect(await pages({ isDescending })).toEqual(names(expected))
      expect(await pages({ isDescending, tenant_id: 't2' })).toEqual(
        names(expected.filter(({ tenant_id }) => tenant_id === 't2')),
      )
      const rare = names(expected.filter((step) => step.isRare))
      expect(await pages({ isDescending, where: { state: 'SUCCEEDED' } })).toEqual(rare)
      expect(await pages({ isDescending, where: { state: 'SUCCEEDED' }, limit: 1 })).toEqual(rare)
    },
  )
})
