// A scene is played by one process that is cut off somewhere; another one looks at it later.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { MINUTE_MS } from '../../../src/core/time.ts'
import type { Store } from '../../../src/store/store.ts'
import type { VirtualWorld } from '../../../src/testing/virtual-world.ts'
import { isLong } from '../../crash/random/seeds.ts'
import { type CutAt, hurriedWorld, Mortal } from './cut-off.ts'
import { obeysLaws, settle, summary } from './laws.ts'
import type { Scene } from './scenes.ts'

/** Where a ledger is that nobody has been at. */
export interface Place {
  /** For a process that may be cut off, or for one that is not. */
  open(world: VirtualWorld, mortal: Mortal | null): Promise<Store>
  /** The same ledger, for whoever asks about everything; where asking takes long that is a copy, row by row. */
  witness(store: Store, world: VirtualWorld): Promise<Store>
}

export interface Played {
  readonly isCut: boolean
  readonly isAcknowledged: boolean
  readonly summary: readonly string[]
}

/** More requests than anything makes. */
export const MOST_REQUESTS = 200

/** Plays a scene, cut off or not, and looks at it as another process does later. */
async function play(place: Place, scene: Scene, at: CutAt | null, acts = true): Promise<Played> {
  const world = hurriedWorld()
  const mortal = new Mortal()
  const first = await place.open(world, mortal)
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
  const second = await place.open(world, null)
  await world.advanceBy(2 * MINUTE_MS)
  await second.maintain()
  await settle(second)
  const witness = await place.witness(second, world)
  await obeysLaws(witness)
  const found = await summary(witness)
  await witness.close()
  return { isCut, isAcknowledged, summary: found }
}

/** How a process is cut off at a request: before the service has done it, or before the answer is back, if at all. */
export type CutsAt = (nth: number) => readonly CutAt[]

const BOTH_WAYS: CutsAt = (nth) => [
  { nth, isDone: false },
  { nth, isDone: true },
]

/** Where there is little time, each request is cut off one way or the other: another way each time. */
const turn = randomInt(2)
const ONE_WAY: CutsAt = (nth) => [{ nth, isDone: (nth + turn) % 2 === 0 }]

/** Where there is less still, only every so many of them: others each time. */
export function someOf(every: number): CutsAt {
  const first = randomInt(every)
  return (nth) => ((nth + first) % every === 0 ? ONE_WAY(nth) : [])
}

export const ALL: CutsAt = isLong ? BOTH_WAYS : ONE_WAY

/** Wherever it is cut off, it has happened or not; and what was acknowledged has. */
export async function mustHappenOrNot(
  newPlace: () => Place,
  scene: Scene,
  cutsAt: CutsAt = ALL,
): Promise<void> {
  const before = await play(newPlace(), scene, null, false)
  const after = await play(newPlace(), scene, null)
  for (let nth = 1; ; nth++) {
    assert(nth < MOST_REQUESTS, 'a scene comes to an end')
    const cuts = cutsAt(nth).map(async (at) => {
      const where = `cut off ${at.isDone ? 'after' : 'before'} request ${nth}`
      const played = await play(newPlace(), scene, at).catch((error: unknown) => {
        throw new Error(`${where}: ${(error as Error).message}`, { cause: error })
      })
      const isBefore = played.summary.join('\n') === before.summary.join('\n')
      if (!isBefore || played.isAcknowledged) assert.deepEqual(played.summary, after.summary, where)
      return played.isCut
    })
    if (cuts.length > 0 && !(await Promise.all(cuts)).includes(true)) return
  }
}
