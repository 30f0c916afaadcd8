// A process dies at any request of anything that writes more than one row: before the service has done it, or before the
// answer is back. Another one then finds either what was before or what was to be, with nothing lost, doubled or in between.
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { MINUTE_MS } from '../../../src/core/time.ts'
import { openOn } from '../../../src/store/azure-tables/opening.ts'
import { FakeAccount } from '../fake-account.ts'
import { FakeTableService } from '../fake-table-service.ts'
import { type CutAt, hurriedWorld, Mortal } from './cut-off.ts'
import { obeysLaws, settle, summary } from './laws.ts'
import { SCENES, type Scene } from './scenes.ts'

/** More requests than anything makes. */
const MOST_REQUESTS = 200

interface Played {
  readonly isCut: boolean
  readonly isAcknowledged: boolean
  readonly summary: readonly string[]
}

/** Plays a scene, cut off or not, and looks at it as another process does later. */
async function play(scene: Scene, at: CutAt | null, acts = true): Promise<Played> {
  const world = hurriedWorld()
  const account = new FakeAccount()
  const mortal = new Mortal()
  const first = await openOn(new FakeTableService(account, mortal), world)
  const stage = { store: first, world }
  await scene.before?.(stage)
  mortal.arm(at)
  let isAcknowledged = false
  if (acts) {
    await scene.act(stage).then(
      () => {
        isAcknowledged = true
      },
      (error: unknown) => {
        if (!mortal.isGone) throw error
      },
    )
  }
  const isCut = mortal.isGone
  mortal.isGone = true
  await first.close().catch(() => {})
  const second = await openOn(new FakeTableService(account), world)
  await world.advanceBy(2 * MINUTE_MS)
  await second.maintain()
  await settle(second)
  await obeysLaws(second)
  const found = await summary(second)
  await second.close()
  return { isCut, isAcknowledged, summary: found }
}

/** The same with a process that only falls asleep, and goes on when everybody has given it up and gone on without it. */
async function playAsleep(scene: Scene, nth: number): Promise<Played> {
  const world = hurriedWorld()
  const account = new FakeAccount()
  const sleeper = new Mortal()
  const first = await openOn(new FakeTableService(account, sleeper), world)
  const stage = { store: first, world }
  await scene.before?.(stage)
  const { promise: sleep, resolve: wake } = Promise.withResolvers<void>()
  sleeper.arm({ nth, isDone: false, sleep })
  let isAcknowledged = false
  const acting = scene.act(stage).then(
    () => {
      isAcknowledged = true
    },
    (error: unknown) => error,
  )
  while (!sleeper.isAsleep && !isAcknowledged) await new Promise((resolve) => setImmediate(resolve))
  const isCut = sleeper.isAsleep
  const second = await openOn(new FakeTableService(account), world)
  await world.advanceBy(2 * MINUTE_MS)
  await second.maintain()
  await settle(second)
  await obeysLaws(second)
  wake()
  await acting
  await settle(second)
  await obeysLaws(second)
  const found = await summary(second)
  await first.close()
  await second.close()
  return { isCut, isAcknowledged, summary: found }
}

describe.each(Object.entries(SCENES))('%s', (_, scene) => {
  it('has happened or not, wherever it is cut off', async () => {
    const before = await play(scene, null, false)
    const after = await play(scene, null)
    for (let nth = 1; ; nth++) {
      assert(nth < MOST_REQUESTS, 'a scene comes to an end')
      let isCut = false
      for (const isDone of [false, true]) {
        const where = `${isDone ? 'after' : 'before'} request ${nth}`
        const played = await play(scene, { nth, isDone }).catch((error: unknown) => {
          throw new Error(`cut off ${where}: ${(error as Error).message}`, { cause: error })
        })
        isCut ||= played.isCut
        const text = played.summary.join('\n')
        const isBefore = text === before.summary.join('\n')
        if (isBefore && !played.isAcknowledged) continue
        assert.deepEqual(played.summary, after.summary, `cut off ${where}`)
      }
      if (!isCut) return
    }
  })

  it('does no harm when it was given up and goes on', async () => {
    for (let nth = 1; nth < MOST_REQUESTS; nth++) {
      const { isCut } = await playAsleep(scene, nth).catch((error: unknown) => {
        throw new Error(`asleep before request ${nth}: ${(error as Error).message}`, { cause: error })
      })
      if (!isCut) return
    }
    assert.fail('a scene comes to an end')
  })
})
