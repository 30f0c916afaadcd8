import { describe, expect, it } from 'vitest'
import { setOf } from '../../../test/tables/sample-set.ts'
import { NextDue } from './next-due.ts'
import type { DueKey } from './tables.ts'

const NOW = 1000
const OWES_NOTHING = { head: { seq: 1, at: NOW, records: 1, removed: 0 }, owes: false }

const dueAt = (due_at: number): DueKey => ({ due_at, tenant_id: 't', job_id: `j${due_at}` })
const adding = (...times: readonly number[]) => setOf({ due: { adds: times.map(dueAt), drops: [] } })

/** Counts how often the database is asked. */
function asked(answers: (number | null)[]) {
  let times = 0
  const due = new NextDue(async () => answers[Math.min(times++, answers.length - 1)] ?? null)
  return { due, times: () => times }
}

describe('when something is next due', () => {
  it('is asked once, however often somebody wants to know', async () => {
    const { due, times } = asked([5000])
    expect([await due.at(NOW), await due.at(NOW)]).toEqual([5000, 5000])
    expect(times()).toBe(1)
  })

  it('is remembered also when nothing is', async () => {
    const { due, times } = asked([null])
    expect([await due.at(NOW), await due.at(NOW)]).toEqual([null, null])
    expect(times()).toBe(1)
  })

  it('gets earlier with what is written here', async () => {
    const { due, times } = asked([5000])
    await due.at(NOW)
    due.wrote(adding(7000, 3000), OWES_NOTHING)
    expect(await due.at(NOW)).toBe(3000)
    expect(times()).toBe(1)
  })

  it('is asked again when its time has come: the job may have ended since', async () => {
    const { due } = asked([5000, 9000])
    await due.at(NOW)
    expect(await due.at(5000)).toBe(9000)
  })

  it('is asked again when others wrote, or somebody is owed a signal', async () => {
    const { due } = asked([5000, 4000, 0])
    await due.at(NOW)
    due.forget()
    expect(await due.at(NOW)).toBe(4000)
    due.wrote(adding(), { ...OWES_NOTHING, owes: true })
    expect([await due.at(NOW), await due.at(NOW)]).toEqual([0, 0])
  })

  it('is not taken from an answer that was on its way while something was written', async () => {
    const { promise, resolve } = Promise.withResolvers<number | null>()
    let times = 0
    const due = new NextDue(() => (++times === 1 ? promise : Promise.resolve(3000)))
    const first = due.at(NOW)
    due.wrote(adding(3000), OWES_NOTHING)
    resolve(5000)
    expect(await first).toBe(5000)
    expect(await due.at(NOW)).toBe(3000)
  })
})
