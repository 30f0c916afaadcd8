import { describe, expect, it } from 'vitest'
import { AlikeJobs as Decided } from '../../../test/fixtures/alike-jobs.ts'
import { protocolOf, pulled } from '../../../test/fixtures/job-commands.ts'
import type { Change } from '../../core/decision.ts'
import type { Birth } from '../../core/job/birth.ts'
import type { ClaimAnswer, SubmitJob } from '../../core/job/commands.ts'
import { IN_FLIGHT } from '../../core/job/limits.ts'
import { Stride } from '../../core/job/stride.ts'
import { freshJob, onJob, report, SUCCESS } from '../../testing/conformance/commands.ts'
import { LiveState } from './live-state.ts'

const NOW = 1_700_000_000_000

let made = 0

/** Jobs that are alike, as they come and go on, beside the memory that keeps them. */
class Scene {
  readonly live = new LiveState()
  readonly jobs = new Decided()
  readonly protocol = protocolOf(pulled('first'))

  /** A new one that is not durable yet. */
  bear() {
    const id = `job-${++made}`
    const command = freshJob(id, { protocol: this.protocol, idempotency_hash: `hash-${id}` })
    this.jobs.submit(command)
    const birth = this.jobs.get(id) as Birth
    const pending = this.live.alike.bear([birth])
    pending.decide()
    return { id, command, birth, pending }
  }

  born(): string {
    const { id, pending } = this.bear()
    pending.settle()
    return id
  }

  /** The first ones show how it goes. */
  learn(): void {
    for (let nth = 0; nth < 12; nth++) {
      const id = this.submitOnly()
      this.jobs.do(onJob('claimStep', id))
      this.jobs.do(report(this.stepOf(id), SUCCESS))
    }
  }

  submitOnly(): string {
    const id = `job-${++made}`
    this.jobs.submit(freshJob(id, { protocol: this.protocol, idempotency_hash: `hash-${id}` }) as SubmitJob)
    return id
  }

  stepOf(id: string) {
    return this.jobs.get(id).steps[0] as never
  }

  stride(change: Change) {
    expect(change).toBeInstanceOf(Stride)
    return this.live.alike.stride(change as Stride)
  }

  /** How many hold a place, and who. */
  held(): readonly [used: number, holders: readonly string[]] {
    const { used, holders } = this.live.devices.useAt(NOW)
    return [used('acme', IN_FLIGHT), holders('acme', IN_FLIGHT)]
  }
}

describe('jobs that are alike, in memory', () => {
  it('hold their places, and can be told who they are', () => {
    const scene = new Scene()
    scene.learn()
    const ids = [scene.born(), scene.born(), scene.born()]
    expect(scene.held()).toEqual([3, ids])
    const { answer, change } = scene.jobs.do(onJob('claimStep', ids[0] as string)).alike
    scene.stride(change).settle()
    expect(scene.held()).toEqual([3, ids])
    const ended = scene.stride(scene.jobs.do(report((answer as ClaimAnswer).step, SUCCESS)).alike.change)
    expect(scene.held()).toEqual([2, ids.slice(1)])
    ended.takeBack()
    expect(scene.held()[1].toSorted()).toEqual(ids)
    expect(scene.live.decided('job', 'acme', ids[0] as string)?.job.state).toBe('IN_PROGRESS')
  })

  it('give them back by a change like any other, and by never having been', () => {
    const scene = new Scene()
    scene.learn()
    const [first, second] = [scene.born(), scene.bear()]
    const release = { tenant_id: 'acme', key: IN_FLIGHT, verb: 'release', owner: first } as const
    const undo = scene.live.devices.apply({ puts: [], audit: [], claims: [], slots: [release], signals: [] })
    expect(scene.held()).toEqual([1, [second.id]])
    undo?.()
    expect(scene.held()[1].toSorted()).toEqual([first, second.id].sort())
    second.pending.takeBack()
    expect(scene.held()).toEqual([1, [first]])
    expect(scene.live.decided('job', 'acme', second.id)).toBeNull()
    expect(scene.live.ownerOf({ tenant_id: 'acme', key: second.birth.claim })).toBeUndefined()
  })

  it('are still known to hold them when they have left memory', () => {
    const scene = new Scene()
    scene.learn()
    const ids = [scene.born(), scene.born()]
    scene.live.evict({ kind: 'job', tenant_id: 'acme', id: ids[0] as string })
    expect(scene.live.aggregate('job', 'acme', ids[0] as string)).toBeNull()
    expect([scene.held()[0], scene.held()[1].toSorted()]).toEqual([2, ids])
  })

  it('are ready before they are durable for whoever takes work, and for everybody when they are', () => {
    const scene = new Scene()
    scene.learn()
    const { id, birth, pending } = scene.bear()
    const { queue } = birth.ready
    const wanted = { queues: [queue], perGroup: 5 }
    const seen = () => [
      scene.live.work.heads(wanted).map(({ key }) => key.id),
      scene.live.work.free(wanted, () => false).map(({ key }) => key.id),
    ]
    expect(seen()).toEqual([[], []])
    expect(pending.foresee()).toBe(true)
    expect(seen()).toEqual([[], [id]])
    pending.settle()
    expect(seen()).toEqual([[id], [id]])
    expect(scene.live.counts.read('job')).toMatchObject({ QUEUED: 1 })
    expect(scene.live.counts.read('step')).toMatchObject({ PENDING: 1 })
  })
})
