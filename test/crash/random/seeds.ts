import { randomInt } from 'node:crypto'

/** Which seeds to play: `WAYBILL_RUNS` of them, or so many, from `WAYBILL_SEED` on, or from anywhere. */
export function* seeds(usually: number): Generator<number> {
  const runs = numberFrom('WAYBILL_RUNS') ?? usually
  const first = numberFrom('WAYBILL_SEED') ?? randomInt(2 ** 31)
  for (let n = 0; n < runs; n++) yield first + n
}

/** Whether there is time: what `npm test` takes samples of is then done in full. */
export const isLong = numberFrom('WAYBILL_RUNS') !== undefined

/** Plays so many, or as many as it is told to, some of them side by side. Answers what came of them. */
export async function playSeeds<T>(
  usually: number,
  sideBySide: number,
  play: (seed: number) => Promise<T>,
): Promise<readonly T[]> {
  const left = seeds(usually)
  const played: T[] = []
  const lanes = Array.from({ length: sideBySide }, async () => {
    for (const seed of left) played.push(await withSeed(seed, play))
  })
  await Promise.all(lanes)
  return played
}

/** Plays something with a seed; when it fails, says how to play it again. */
export async function withSeed<T>(seed: number, play: (seed: number) => Promise<T>): Promise<T> {
  try {
    return await play(seed)
  } catch (error) {
    const again = `Play it again with WAYBILL_SEED=${seed} WAYBILL_RUNS=1`
    throw new Error(`${(error as Error).message}\n\n${again}`, { cause: error })
  }
}

/** What an environment variable says, if it is there. */
export function numberFrom(variable: string): number | undefined {
  const text = process.env[variable]
  if (text === undefined || text === '') return undefined
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  throw new Error(`${variable} must be a whole number, not ${text}`)
}
