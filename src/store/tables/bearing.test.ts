import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decideBatch } from '../../core/batch.ts'
import { Birth } from '../../core/job/birth.ts'
import type { SubmitJob } from '../../core/job/commands.ts'
import { IN_FLIGHT } from '../../core/job/limits.ts'
import { freshJob } from '../../testing/conformance/commands.ts'
import { PULLED } from '../../testing/conformance/protocols.ts'
import { inRows } from './in-rows.ts'
import { Missing } from './missing.ts'
import type { WriteSet } from './tables.ts'
import { Workspace } from './workspace.ts'
import { writeSetOf } from './write-set.ts'

interface Asked {
  readonly counted: number
  readonly max: number
  /** How many jobs each of those who ask at once submits. */
  readonly batches: readonly number[]
  /** One request comes twice. */
  readonly isRepeated: boolean
}

const protocol = { ...PULLED }

function commandsOf({ max, batches, isRepeated }: Asked): readonly (readonly SubmitJob[])[] {
  let nth = 0
  const own = { protocol, inFlightLimit: max }
  return batches.map((size) =>
    Array.from({ length: size }, () => {
      const hash = isRepeated && nth === 1 ? 0 : nth
      return freshJob(`job-${nth++}`, { ...own, idempotency_hash: `hash-${hash}`, payload: { nth } })
    }),
  )
}

function spaceAfter(asked: Asked, bears: boolean) {
  const { tenant_id } = freshJob('job')
  const slot = { tenant_id, key: IN_FLIGHT, version: 1, counted: asked.counted, named: [] }
  const remembered = { cell: () => undefined, slot: () => slot }
  const space = new Workspace({ now: 1000, ids: { next: () => 'id' }, remembered, bears })
  const outcomes = commandsOf(asked).map((commands) => {
    const keys = commands.map(({ job_id: id }) => ({ kind: 'job', tenant_id, id, isFresh: true }) as const)
    const outcome = space.try((given) => decideBatch(commands, given), keys)
    return outcome instanceof Missing ? { slots: outcome.slots, claims: outcome.claims } : outcome
  })
  return { space, outcomes }
}

/** Something has to be decided first for others to be like it. */
function first(asked: Asked): void {
  spaceAfter({ ...asked, counted: 0, batches: [1], isRepeated: false }, false)
}

it('comes to the same as when every record is made', () => {
  const asked = fc.record({
    counted: fc.nat(5),
    max: fc.integer({ min: 1, max: 12 }),
    batches: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
    isRepeated: fc.boolean(),
  })
  fc.assert(
    fc.property(asked, (given) => {
      first(given)
      const alike = spaceAfter(given, true)
      const ordinary = spaceAfter(given, false)
      expect(alike.outcomes).toEqual(ordinary.outcomes)
      expect(rowsOf(alike.space)).toEqual(rowsOf(ordinary.space))
    }),
  )
})

/** Rows have no order. */
function rowsOf(space: Workspace): WriteSet | null {
  const set = writeSetOf(space)
  if (set === null) return null
  const byJob = (a: { job_id: string }, b: { job_id: string }) => (a.job_id < b.job_id ? -1 : 1)
  const { newJobs, ready, claims, ...rest } = inRows(set)
  return {
    ...rest,
    newJobs: newJobs.toSorted(byJob),
    ready: { adds: ready.adds.toSorted(byJob), drops: ready.drops },
    claims: claims.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
  }
}

it('makes no records of jobs that are alike', () => {
  const asked = { counted: 0, max: 10, batches: [3, 1], isRepeated: false }
  first(asked)
  const { space } = spaceAfter(asked, true)
  expect(space.births).toHaveLength(4)
  space.forEachCell(({ now }) => {
    expect(now).toBeInstanceOf(Birth)
  })
})
