import type { RunDetails } from 'fast-check'
import type { Topic } from '../check.ts'
import { historyArbitrary } from '../history/arbitrary.ts'
import type { FastCheck } from '../history/arbitrary-parts.ts'
import { History } from '../history/history.ts'
import type { Intent } from '../history/intents.ts'
import { Scene } from '../scene.ts'
import type { HistoryOptions, StoreSubject } from '../subject.ts'

const DEFAULTS = { runs: 100, steps: 80 } as const

/** How many times the usual patience all histories together may take. */
const PATIENCE = 6

export const histories: Topic = {
  topic: 'histories',
  checks: [
    {
      name: 'answers any history of commands as the reference does',
      patience: PATIENCE,
      async run({ subject, patienceMs }) {
        const fc = await loadFastCheck()
        const { runs, steps, seed, shrink } = optionsOf(subject.histories)
        const property = fc.asyncProperty(historyArbitrary(fc, steps), (history) => play(subject, history))
        const details = await fc.check(property, {
          numRuns: runs,
          endOnFailure: !shrink,
          // Earlier than the test's own limit: a failure found late is still reported, though not made small.
          interruptAfterTimeLimit: (PATIENCE - 1) * patienceMs,
          ...(seed === undefined ? null : { seed }),
        })
        if (details.failed) throw new Error(reportOf(fc, details, runs), { cause: details.errorInstance })
        if (details.interrupted) {
          throw new Error(
            `Time for ${details.numRuns} of ${runs} histories: set WAYBILL_RUNS, or more patience`,
          )
        }
      },
    },
  ],
}

function reportOf(fc: FastCheck, details: RunDetails<[Intent[]]>, runs: number): string {
  const again = `WAYBILL_SEED=${details.seed} WAYBILL_RUNS=${runs}`
  return `${fc.defaultReportMessage(details)}\n\nPlay it again with ${again}`
}

/** A fresh store in a fresh world, so that the same history always meets the same ids and times. */
async function play(subject: StoreSubject, history: readonly Intent[]): Promise<void> {
  const scene = new Scene(subject)
  await scene.open()
  try {
    await new History(scene).play(history)
  } finally {
    await scene.close()
  }
}

async function loadFastCheck(): Promise<FastCheck> {
  try {
    return await import('fast-check')
  } catch (cause) {
    throw new Error('Random histories need fast-check: npm install --save-dev fast-check', { cause })
  }
}

function optionsOf(given: HistoryOptions = {}) {
  return {
    steps: given.steps ?? DEFAULTS.steps,
    shrink: given.shrink ?? true,
    runs: numberFrom('WAYBILL_RUNS') ?? given.runs ?? DEFAULTS.runs,
    seed: numberFrom('WAYBILL_SEED') ?? given.seed,
  }
}

function numberFrom(variable: string): number | undefined {
  const text = process.env[variable]
  if (text === undefined || text === '') return undefined
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  throw new Error(`${variable} must be a whole number, not ${text}`)
}
