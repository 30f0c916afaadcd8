import type { Ledger } from 'waybill'
import type { VirtualWorld } from 'waybill/testing'
import { Agenda } from './agenda.ts'
import { Incidents, misspell } from './incidents.ts'
import { Intake } from './intake.ts'
import { leaveBehind } from './left-behind.ts'
import { pdfsOf, TENANTS } from './library.ts'
import { OcrService } from './ocr-service.ts'
import { index, ingest } from './pdf-protocols.ts'
import type { Scene } from './scene.ts'
import { WorkerPool } from './worker-pool.ts'

const POOLS = { download: 16, parse: 8, embed: 16, index: 1 } as const

/** Rounds between two looks at how far it is. */
const ROUNDS_PER_LOOK = 5

/** Far more than the story takes: one that does not end is a mistake, and says so. */
const MOST_ROUNDS = 100_000

export interface Played {
  readonly refused: Scene['refused']
  readonly duplicates: number
  readonly documents: number
}

/** Plays the whole story. `look` is called every now and then, with the number of documents there will be. */
export async function play(
  ledger: Ledger,
  world: VirtualWorld,
  look: (documents: number) => Promise<void>,
): Promise<Played> {
  const scene: Scene = { ledger, agenda: new Agenda(world), refused: [], underWay: [] }
  ledger.jobs.register(ingest)
  ledger.jobs.register(index)

  const library = { aurora: pdfsOf('aurora'), borealis: pdfsOf('borealis') }
  const all = TENANTS.flatMap((tenant) => library[tenant])
  const byJob = new Map(all.map((pdf) => [pdf.job_id, pdf]))
  const intakes = TENANTS.map((tenant) => new Intake(scene, tenant, library[tenant]))
  const pools = Object.entries(POOLS).map(([queue, size]) => new WorkerPool(scene, queue, size, byJob))
  const ocr = new OcrService(scene, byJob)
  const incidents = new Incidents(scene, nth(library.aurora, 7), nth(library.borealis, 21))

  await leaveBehind(scene)
  await misspell(scene)
  await Promise.all(intakes.map((intake) => intake.fill()))
  let more = true
  for (let round = 0; more; round++) {
    if (round === MOST_ROUNDS) throw new Error('The story does not come to an end')
    await ledger.advance()
    await Promise.all([ocr.publish(), ...pools.map((pool) => pool.claim())])
    await incidents.look()
    if (round % ROUNDS_PER_LOOK === 0) await look(all.length)
    more = await scene.agenda.goOn(await ledger.nextDue())
    await Promise.all(scene.underWay.splice(0))
  }
  await look(all.length)
  const duplicates = intakes.reduce((sum, intake) => sum + intake.duplicates, 0)
  return { refused: scene.refused, duplicates, documents: all.length }
}

function nth<T>(items: readonly T[], place: number): T {
  const item = items[place - 1]
  if (item === undefined) throw new Error(`There is no number ${place}`)
  return item
}
