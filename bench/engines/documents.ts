import { openLedger } from 'waybill'
import { inTurns, type Row, rowOf, timed } from '../harness.ts'
import { perSecond } from '../journal/bare-lines.ts'
import { walkDocuments } from '../journal/document-walk.ts'
import type { Bench } from '../suite/bench.ts'
import { freshPlace } from './engine.ts'

/** Durable transitions of documents per second: one caller, and many. */
export async function documents(bench: Bench): Promise<readonly Row[]> {
  const transitions = bench.isQuick ? 5000 : 40_000
  const said = await inTurns(
    bench.isQuick ? 3 : 5,
    {
      alone: () => speed(bench, 1, Math.ceil(transitions / 20)),
      crowd: () => speed(bench, 100, transitions),
    },
    (part) => bench.progress('moving documents', part),
  )
  return [rowOf('one caller', '/s', said.alone), rowOf('100 callers', '/s', said.crowd)]
}

async function speed({ engine, folder }: Bench, callers: number, transitions: number): Promise<number> {
  const place = await freshPlace(engine, folder)
  const ledger = await openLedger(place.url, place.options)
  try {
    return perSecond(transitions, await timed(() => walkDocuments(ledger, { callers, transitions })))
  } finally {
    await ledger.close()
    await place.remove()
  }
}
