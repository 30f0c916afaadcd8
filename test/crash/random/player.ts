import { idOf } from '../../../src/core/aggregate.ts'
import type { Intent } from '../../../src/testing/conformance/history/intents.ts'
import { commandOf, driveOf } from '../../../src/testing/conformance/history/interpret.ts'
import { nameOf } from '../../../src/testing/conformance/history/reference-ledger.ts'
import { jobsIn, nextDueIn } from '../../../src/testing/conformance/history/reference-reads.ts'
import { fromEnd, type Seen } from '../../../src/testing/conformance/history/seen.ts'
import { ExpectedLedger } from '../expected-ledger.ts'
import type { Life } from '../life.ts'
import type { Written } from '../witness.ts'

const QUEUES = { claim: ['read'], take: ['push:send', 'push:ocr', 'push:embedding'] } as const

/** Does what an intent means, given what was acknowledged by now. */
export async function playIntent(life: Life, intent: Intent, most: number): Promise<void> {
  const { written, model } = new ExpectedLedger(life.witness.acknowledged())
  const now = life.world.clock.now()
  switch (intent.what) {
    case 'batch': {
      const seen = seenIn(written)
      const commands = intent.parts.map((part) => commandOf(part, model, seen, now))
      return void (await life.tryBatch(commands))
    }
    case 'finish': {
      const job = fromEnd(jobsIn(model), intent.job)
      return void (job !== undefined && (await life.act(driveOf(job, model))))
    }
    case 'claim':
    case 'take': {
      const type = intent.what === 'claim' ? 'claimStep' : 'takeOutbox'
      return life.take(type, QUEUES[intent.what], Math.min(most, intent.limit))
    }
    case 'due':
    case 'signalled':
      return void (await life.sweep(intent.what, Math.min(most, intent.limit)))
    case 'pass':
      return life.pass(intent.ms)
    case 'pass to due':
      return life.pass(Math.max((nextDueIn(model) ?? 0) - now - (intent.early ? 1 : 0), 0))
    case 'turn back':
      return life.world.clock.jumpTo(now - intent.ms)
    case 'maintain':
      return life.maintain()
    case 'reopen':
      return life.reopen()
    default:
      return void (await life.act(commandOf(intent, model, seenIn(written), now)))
  }
}

/** What later steps may come back to. */
function seenIn(written: readonly Written[]): Seen {
  const seen: Seen = { attempts: [], rows: [], etags: new Map() }
  for (const decision of written) {
    if (decision.kind === 'refusal') continue
    for (const put of decision.change.puts) {
      const name = nameOf(put.kind, put.tenant_id, idOf(put))
      seen.etags.set(name, [...(seen.etags.get(name) ?? []), put.etag])
      if (put.kind === 'step' && put.lease_id !== null) seen.attempts.push(put)
      if (put.kind === 'outbox') seen.rows.push(put)
    }
  }
  return seen
}
