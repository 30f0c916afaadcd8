// What goes wrong in the live part of `npm start` is up to dice, which fall the same way in every run.
import { describe, expect, it } from 'vitest'
import { tasksOf } from '../../examples/demo/live/backlog/tasks.ts'
import { Dice } from '../../examples/demo/live/dice.ts'
import { fateOf } from '../../examples/demo/live/pretend.ts'

const JOBS = Array.from({ length: 2000 }, (_, i) => `job-${i}`)

/** How much of it, between 0 and 1. */
function share(is: (job_id: string) => boolean): number {
  return JOBS.filter(is).length / JOBS.length
}

describe('dice', () => {
  it('fall the same way for the same name, and another way for another', () => {
    const throwsOf = (name: string) => {
      const dice = new Dice(name, 1)
      return [dice.between([0, 1]), dice.between([0, 1])]
    }
    expect(throwsOf('a')).toEqual(throwsOf('a'))
    expect(throwsOf('a')).not.toEqual(throwsOf('b'))
  })

  it('keep within their bounds', () => {
    for (const name of JOBS) {
      const dice = new Dice(name)
      const number = dice.between([2, 6])
      expect(number).toBeGreaterThanOrEqual(2)
      expect(number).toBeLessThan(6)
      expect(['a', 'b', 'c']).toContain(dice.oneOf(['a', 'b', 'c']))
    }
  })
})

describe('the fate of an attempt', () => {
  const pretence = { seconds: [0.2, 6], fails: 0.2, breaks: 0.05 } as const

  it('fails and breaks as often as is said', () => {
    expect(share((id) => fateOf(id, 'parse', 1, pretence).fate === 'breaks')).toBeCloseTo(0.05, 1)
    expect(share((id) => fateOf(id, 'parse', 1, pretence).fate === 'fails')).toBeCloseTo(0.2, 1)
  })

  it('is another one for the next attempt, unless it broke', () => {
    const failed = JOBS.filter((id) => fateOf(id, 'parse', 1, pretence).fate === 'fails')
    expect(failed.some((id) => fateOf(id, 'parse', 2, pretence).fate === 'works')).toBe(true)
    const broken = JOBS.filter((id) => fateOf(id, 'parse', 1, pretence).fate === 'breaks')
    expect(broken.every((id) => fateOf(id, 'parse', 2, pretence).fate === 'breaks')).toBe(true)
  })

  it('works when nothing is said of failing', () => {
    expect(share((id) => fateOf(id, 'index', 1, { seconds: [0.2, 1] }).fate === 'works')).toBe(1)
  })
})

describe('a run of the backlog', () => {
  const place = { run_id: 'backlog-7', repo_root: '/tmp/backlog-7', pace: 1, docsWork: true }

  it('has six workstreams, whose jobs wait for jobs of the same run only', () => {
    const tasks = tasksOf(place)
    const ids = new Set(tasks.map(({ job }) => job.job_id))
    expect(ids.size).toBe(tasks.length)
    expect([...new Set(tasks.map(({ job }) => job.workstream_id))].sort()).toEqual(
      ['dates', 'docs', 'release', 'slug', 'style', 'total'].map((name) => `backlog-7-${name}`),
    )
    for (const { options } of tasks) for (const id of options.after ?? []) expect(ids).toContain(id)
  })
})
