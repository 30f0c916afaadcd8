import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openLedger } from 'waybill'
import { inTurns, type Row, ratios, rowOf, timed } from '../harness.ts'
import type { Bench } from '../suite/bench.ts'
import { bareLine, perSecond, writeBareLines, writeRawBytes } from './bare-lines.ts'
import { type Walk, walkDocuments } from './document-walk.ts'
import { NO_SNAPSHOTS } from './no-snapshots.ts'
import { type WrittenLines, writtenLines } from './written-lines.ts'

/** How much of the bare speed the ledger keeps, at least. */
const TARGET = { atLeast: 0.5 }

/** Durable transitions per second through the public API, against the bare cost of the same lines in same groups. */
export async function transitions(bench: Bench): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const callers of [100, 1000]) rows.push(...(await withCallers(bench, callers)))
  return rows
}

async function withCallers(bench: Bench, callers: number): Promise<readonly Row[]> {
  const walk: Walk = { callers, transitions: bench.isQuick ? 50_000 : 200_000 }
  const path = join(bench.folder, 'bare')
  const sizes: WrittenLines[] = []
  // As the ledger did it in the warm-up.
  const size = () => {
    const { linesPerGroup, bytesPerLine } = sizes[0] as WrittenLines
    return { linesPerGroup: Math.round(linesPerGroup), bytesPerLine }
  }
  const said = await inTurns(
    bench.isQuick ? 3 : 7,
    {
      ours: async () => {
        const { speed, written } = await walkInLedger(join(bench.folder, 'ledger'), walk)
        sizes.push(written)
        return speed
      },
      bare: () => writeBareLines(path, walk, size().linesPerGroup),
      bareAtOnce: () => writeBareLines(path, walk, callers),
      raw: () => writeRawBytes(path, walk, size()),
    },
    (part) => bench.progress(`${callers} callers`, part),
  )
  checkFields(sizes[0] as WrittenLines)
  const groups = sizes.map(({ linesPerGroup }) => linesPerGroup)
  const group = size().linesPerGroup
  return [
    rowOf(`${callers} callers: transitions`, '/s', said.ours),
    rowOf(`${callers} callers: lines in a group`, '', groups),
    rowOf(
      `${callers} callers: bare lines (stringify, CRC, append, fdatasync), ${group} in a group`,
      '/s',
      said.bare,
    ),
    rowOf(`${callers} callers: ÷ bare lines in such groups`, '×', ratios(said.ours, said.bare), TARGET),
    rowOf(`${callers} callers: ÷ bare lines, ${callers} in a group`, '×', ratios(said.ours, said.bareAtOnce)),
    rowOf(`${callers} callers: ÷ raw disk (bytes made beforehand)`, '×', ratios(said.ours, said.raw)),
  ]
}

async function walkInLedger(folder: string, walk: Walk): Promise<{ speed: number; written: WrittenLines }> {
  const ledger = await openLedger(folder, { journal: NO_SNAPSHOTS })
  try {
    const ms = await timed(() => walkDocuments(ledger, walk))
    await ledger.close()
    return { speed: perSecond(walk.transitions, ms), written: writtenLines(folder) }
  } finally {
    await ledger.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A comparison with lines that the journal does not write any more would be worth nothing. */
function checkFields({ fields }: WrittenLines): void {
  const bare = [...Object.keys(bareLine(1, 0, 0)), 'batch', 'crc']
  if (fields.join() === bare.join()) return
  throw new Error(
    `the journal writes ${fields.join()}; bring bareLine up to date, which writes ${bare.join()}`,
  )
}
