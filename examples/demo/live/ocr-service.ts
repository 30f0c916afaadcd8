import { setTimeout } from 'node:timers/promises'
import { createService, type Service, type StepContext } from 'waybill/service'
import { Dice } from './dice.ts'

const READING_MS = [800, 4000] as const
/** Longer than the lease of the step. */
const DREAMING_MS = 9000
/** The share of attempts at which it forgets the time. */
const DREAMS = 0.08
/** Longer than anything it does: a service that says nothing until it is done. */
const HEARTBEAT_MS = 60_000

/** A service of its own, which hears and answers over HTTP only; that it lives in this process is for the demo's sake. */
export function ocrService(options: { readonly secret: string; readonly callbackUrl: string }): Service {
  const { secret, callbackUrl } = options
  return createService({
    secrets: secret,
    callbackUrl,
    heartbeatMs: HEARTBEAT_MS,
    handlers: { OCR: readPages },
  })
}

async function readPages({ directive, signal }: StepContext) {
  const dice = new Dice('ocr', directive.jobId, directive.attempt_no)
  const ms = dice.chance(DREAMS) ? DREAMING_MS : Math.round(dice.between(READING_MS))
  await setTimeout(ms, undefined, { signal })
  return { pages: 1 + (ms % 40), took_ms: ms }
}
