import assert from 'node:assert/strict'
import { change } from '../../../core/decision.ts'
import { MINUTE_MS, toIso } from '../../../core/time.ts'
import type { Check, Topic } from '../check.ts'
import { onJob, report, SUCCESS, steerQueue, submitJob } from '../commands.ts'
import { LIMITED, PUSHED } from '../protocols.ts'
import { changeSlots, release, take } from '../raw-decisions.ts'
import type { Scene } from '../scene.ts'
import { advance, claim, claimJob, sendDirective, takeDirectives } from '../work.ts'

/** Turns of the event loop in which whoever is called for nothing would be called. */
const QUIET_TURNS = 20

/** Someone who wants to be called. */
class Listener {
  readonly stop: () => void
  calls = 0
  #wake: () => void = () => {}
  readonly #scene: Scene

  constructor(scene: Scene) {
    this.#scene = scene
    this.stop = scene.store.subscribe(() => {
      this.calls++
      this.#wake()
    })
  }

  /** Does something after which it has to be called. */
  async calledAfter(what: string, act: () => Promise<unknown>): Promise<void> {
    await this.quiet()
    const called = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    await act()
    await this.#scene.within(called, `a call after ${what}`)
  }

  /** Waits until calls that were on their way have arrived. */
  async quiet(): Promise<void> {
    for (let turn = 0; turn < QUIET_TURNS; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
}

const checks: readonly Check[] = [
  {
    name: 'calls after whatever makes something ready, due or signalled',
    async run(scene) {
      const listener = new Listener(scene)
      const run_at = toIso(scene.world.clock.now() + MINUTE_MS)
      await listener.calledAfter('a submit', () => scene.do(submitJob('first')))
      await listener.calledAfter('a delayed submit', () => scene.do(submitJob('later', { run_at })))
      await scene.do(submitJob('dependant', { depends_on: ['first'] }))
      const step = await claimJob(scene, 'first')
      await listener.calledAfter('an end that others wait for', () => scene.do(report(step, SUCCESS)))
      await listener.calledAfter('a signal', () =>
        scene.store.sweep({ what: 'signalled', limit: 5 }, advance),
      )
      await scene.pass(MINUTE_MS)
      await listener.calledAfter('a timer', () => scene.store.sweep({ what: 'due', limit: 5 }, advance))
      await scene.do(submitJob('pushed', { protocol: PUSHED }))
      const sent = await sendDirective(scene, 'pushed')
      await listener.calledAfter('a step that ends', () => scene.do(report(sent, SUCCESS)))
    },
  },
  {
    name: 'calls after whatever gives back a place, or changes what a queue allows',
    async run(scene) {
      for (const id of ['l1', 'l2']) await scene.do(submitJob(id, { protocol: LIMITED }))
      const step = await claimJob(scene, 'l1')
      const listener = new Listener(scene)
      await listener.calledAfter('an attempt that ends', () => scene.do(report(step, SUCCESS)))
      await scene.store.transact([], changeSlots(take({ key: 'line', max: 1, owner: 'a' })))
      const giveBack = changeSlots(release({ key: 'line', owner: 'a' }))
      await listener.calledAfter('a release alone', () => scene.store.transact([], giveBack))
      await listener.calledAfter('a pause', () => scene.do(steerQueue('read', { state: 'paused' })))
      await listener.calledAfter('a resume', () => scene.do(steerQueue('read', { state: 'running' })))
    },
  },
  {
    name: 'calls when the change can be seen',
    async run(scene) {
      const seen: Promise<number>[] = []
      const stop = scene.store.subscribe(() => {
        seen.push(scene.meanwhile(scene.store.ready(['read'], 5, (heads) => heads.length)))
      })
      const listener = new Listener(scene)
      await listener.calledAfter('a submit', () => scene.do(submitJob('first')))
      stop()
      assert.equal((await Promise.all(seen))[0], 1)
    },
  },
  {
    name: 'does not call those who look and find nothing to do',
    async run(scene) {
      await scene.do(submitJob('first'))
      await claimJob(scene, 'first')
      const listener = new Listener(scene)
      await listener.quiet()
      listener.calls = 0
      await claim(scene.store, { queues: ['read'], limit: 5 })
      await takeDirectives(scene.store, { queues: ['push:ocr'], limit: 5 })
      for (const what of ['due', 'signalled'] as const) await scene.store.sweep({ what, limit: 5 }, advance)
      await scene.store.ready(['read'], 5, (heads) => heads)
      await scene.store.nextDue()
      await scene.do(onJob('advanceJob', 'first'))
      await scene.store.transact([], () => change(null, {}))
      await listener.quiet()
      assert.equal(listener.calls, 0)
    },
  },
  {
    name: 'calls everybody who asked, once for each time they did, until they stop it',
    async run(scene) {
      const [first, second] = [new Listener(scene), new Listener(scene)]
      await first.calledAfter('a submit', () => scene.do(submitJob('a')))
      await second.quiet()
      assert(second.calls > 0)
      first.stop()
      first.stop()
      const before = first.calls
      await second.calledAfter('a submit', () => scene.do(submitJob('b')))
      await first.quiet()
      assert.equal(first.calls, before)
    },
  },
  {
    name: 'lets go of one who stops while others are being called',
    async run(scene) {
      const first = new Listener(scene)
      const stop = scene.store.subscribe(() => first.stop())
      const last = new Listener(scene)
      await last.calledAfter('a submit', () => scene.do(submitJob('a')))
      stop()
      await last.calledAfter('another submit', () => scene.do(submitJob('b')))
    },
  },
  {
    name: 'calls nobody after it was closed',
    async run(scene) {
      const listener = new Listener(scene)
      await listener.calledAfter('a submit', () => scene.do(submitJob('a')))
      await listener.quiet()
      const before = listener.calls
      await scene.within(scene.store.close(), 'close')
      await listener.quiet()
      assert.equal(listener.calls, before)
      assert.doesNotThrow(() => listener.stop())
    },
  },
  {
    name: 'calls for what others wrote',
    reopens: true,
    excuse: ({ multiProcess }) => (multiProcess ? undefined : 'the engine declares that one process writes'),
    async run(scene) {
      const [first, second] = await scene.writers()
      const listener = new Listener(scene)
      await listener.calledAfter('a submit elsewhere', () => scene.do(submitJob('a'), first))
      await listener.calledAfter('a submit here', () => scene.do(submitJob('b'), second))
    },
  },
]

export const subscribe: Topic = { topic: 'subscribe', checks }
