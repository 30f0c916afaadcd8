import { randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isLong } from '../random/seeds.ts'
import { type Ending, filesOf, flipped, type SmallLedger, smallLedger, truncated } from './damaged-ledger.ts'
import { type DeltaLine, deltaLines, lineAt } from './delta-lines.ts'
import { type Care, type Outcome, outcomeOf, Prefixes } from './outcome.ts'

const NEWLINE = 10
/** Every so many bytes, everything is looked at. */
const THOROUGHLY_EVERY = 97

/** A fifth of them, another one each time, where there is little time; the other numbers must not be fifths of anything then. */
const PART = isLong ? 1 : 5
const CLOSED_EVERY = isLong ? 9 : 11
const NEWLINE_EVERY = isLong ? 3 : 4

interface Sample {
  readonly ledger: SmallLedger
  readonly bytes: Buffer
  readonly lines: readonly DeltaLine[]
  readonly prefixes: Prefixes
}

async function sampleOf(ending: Ending): Promise<Sample> {
  const ledger = await smallLedger(ending, 'documents')
  const bytes = Buffer.from(ledger.disk.files().get(ledger.deltaPath) as Uint8Array)
  return {
    ledger,
    bytes,
    lines: deltaLines(bytes),
    prefixes: new Prefixes(ledger.written, ledger.boundaries),
  }
}

/** What has to come of a changed byte, but for the findings. */
function expectedOf({ ledger, lines }: Sample, byte: number, to: number): Partial<Outcome> {
  const line = lineAt(lines, byte)
  const last = lines.at(-1)?.batch as number
  const before = Math.min(Math.max(line.batch - 1, 0), ledger.boundaries.length - 1)
  const commits = ledger.boundaries[before] as number
  if (line.batch === last) return { damage: null, commits, unreadable: [], refused: null }
  // A newline at the beginning of a line is a blank line before it.
  const moved = line.batch > 0 && byte === line.at && to === NEWLINE ? 1 : 0
  const isOfBatch = lines[line.number - 2]?.batch === line.batch
  const by = isOfBatch ? 0 : moved
  const damage = { file: ledger.deltaPath, line: line.number + by, byte: line.at + by }
  return { damage, commits, unreadable: [], refused: 'LEDGER_DAMAGED' }
}

async function flipAndLook(sample: Sample, byte: number, to: number): Promise<void> {
  const { ledger, prefixes } = sample
  const disk = await flipped(ledger.disk, ledger.deltaPath, byte, to)
  const before = filesOf(disk)
  const { complaints, findings, ...outcome } = await outcomeOf(disk, prefixes, careAt(byte))
  const expected = expectedOf(sample, byte, to)
  expect({ byte, to, ...outcome }).toEqual({ byte, to, ...expected })
  const isCut = expected.damage === null
  expect([...new Set(complaints)]).toEqual([isCut ? 'TORN_BATCH' : 'LEDGER_DAMAGED'])
  if (!isCut) expect(filesOf(disk)).toEqual(before)
  else mustKeepWhatWasCut(ledger, before, filesOf(disk))
}

function mustKeepWhatWasCut(
  { deltaPath }: SmallLedger,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): void {
  const [torn, ...more] = [...after.keys()].filter((path) => path.endsWith('.torn'))
  expect(more).toEqual([])
  const bytes = before.get(deltaPath) as string
  expect(bytes.endsWith(after.get(torn as string) as string)).toBe(true)
}

describe.each(['crashed', 'closed'] as const)('A38: a delta whose writer %s', async (ending) => {
  const sample = await sampleOf(ending)
  const { ledger, bytes, lines, prefixes } = sample

  const turn = randomInt(PART)

  // One in good order differs only at its end; the rest of it is not looked at as closely.
  const isLooked = (byte: number) =>
    byte % PART === turn && (ending === 'crashed' || byte % CLOSED_EVERY === 0 || byte > bytes.length - 600)

  it('is cut off or says where it is damaged, whichever byte is changed', async () => {
    for (const [byte, was] of bytes.entries()) {
      if (isLooked(byte)) await flipAndLook(sample, byte, was ^ (1 << (byte % 8)))
    }
  })

  it('is cut off or says where it is damaged, whichever byte becomes the end of a line', async () => {
    for (const [byte, was] of bytes.entries()) {
      if (was !== NEWLINE && byte % NEWLINE_EVERY === 0 && isLooked(byte))
        await flipAndLook(sample, byte, NEWLINE)
    }
    for (const { at } of lines) await flipAndLook(sample, at, NEWLINE)
  })

  it('shows whole batches and nothing else, wherever it ends', async () => {
    const headerEnd = lines[0]?.end as number
    for (let size = 0; size < bytes.length; size++) {
      if (!isLooked(size)) continue
      const disk = await truncated(ledger.disk, ledger.deltaPath, size)
      const outcome = await outcomeOf(disk, prefixes, careAt(size))
      const whole = lines.filter(({ batch }) => isWhole(lines, batch, size)).at(-1)?.batch ?? 0
      const commits = ledger.boundaries[Math.min(whole, ledger.boundaries.length - 1)]
      const isHeaderCut = size < headerEnd
      const isBetween =
        !isHeaderCut && lines.some(({ end, batch }) => end === size && isWhole(lines, batch, size))
      expect({ size, ...outcome }).toMatchObject({
        size,
        commits,
        damage: isHeaderCut ? { file: ledger.deltaPath, line: 1, byte: 0 } : null,
        refused: isHeaderCut ? 'LEDGER_DAMAGED' : null,
      })
      // Of a file that ends between two batches nobody can tell that there was more.
      const complaints = isHeaderCut ? ['LEDGER_DAMAGED'] : isBetween ? [] : ['TORN_BATCH']
      expect([...new Set(outcome.complaints)]).toEqual(complaints)
    }
  })
})

function careAt(byte: number): Care {
  return byte % THOROUGHLY_EVERY === 0 ? 'thoroughly' : 'quickly'
}

function isWhole(lines: readonly DeltaLine[], batch: number, size: number): boolean {
  return lines.every((line) => line.batch !== batch || line.end <= size)
}
