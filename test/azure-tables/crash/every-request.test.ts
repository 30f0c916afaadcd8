// A process dies at any request of anything that writes more than one row: before the service has done it, or before the
// answer is back. Another one then finds either what was before or what was to be, with nothing lost, doubled or in between.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, it } from 'vitest'
import { MINUTE_MS } from '../../../src/core/time.ts'
import { openOn } from '../../../src/store/azure-tables/opening.ts'
import { isLong } from '../../crash/random/seeds.ts'
import { FakeAccount } from '../fake-account.ts'
import { FakeTableService } from '../fake-table-service.ts'
import { hurriedWorld, Mortal } from './cut-off.ts'
import { obeysLaws, settle, summary } from './laws.ts'
import { ALL, MOST_REQUESTS, mustHappenOrNot, type Place, type Played, someOf } from './play.ts'
import { SCENES, type Scene } from './scenes.ts'

function inMemory(): Place {
  const account = new FakeAccount()
  return {
    open: (world, mortal) => openOn(new FakeTableService(account, mortal ?? {}), world),
    witness: async (store) => store,
  }
}

/** The process only falls asleep, and goes on when everybody has given it up and gone on without it. */
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
  it('has happened or not, wherever it is cut off', () =>
    mustHappenOrNot(inMemory, scene, isLong ? ALL : someOf(2)))

  it('does no harm when it was given up and goes on', async () => {
    const every = isLong ? 1 : 5
    for (let nth = 1 + randomInt(every); nth < MOST_REQUESTS; nth += every) {
      const { isCut } = await playAsleep(scene, nth).catch((error: unknown) => {
        throw new Error(`asleep before request ${nth}: ${(error as Error).message}`, { cause: error })
      })
      if (!isCut) return
    }
    assert.fail('a scene comes to an end')
  })
})
