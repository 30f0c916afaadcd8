import type { Check, Topic } from './check.ts'
import { within } from './patience.ts'
import { Scene } from './scene.ts'
import { DEFAULT_PATIENCE_MS, type StoreSubject } from './subject.ts'
import { alike } from './topics/alike.ts'
import { audit } from './topics/audit.ts'
import { batch } from './topics/batch.ts'
import { claims } from './topics/claims.ts'
import { close } from './topics/close.ts'
import { concurrency } from './topics/concurrency.ts'
import { counts } from './topics/counts.ts'
import { due } from './topics/due.ts'
import { durations } from './topics/durations.ts'
import { escalation } from './topics/escalation.ts'
import { etags } from './topics/etags.ts'
import { find } from './topics/find.ts'
import { gates } from './topics/gates.ts'
import { groups } from './topics/groups.ts'
import { histories } from './topics/histories.ts'
import { queues } from './topics/queues.ts'
import { ready } from './topics/ready.ts'
import { refusals } from './topics/refusals.ts'
import { reopen } from './topics/reopen.ts'
import { schedules } from './topics/schedules.ts'
import { signals } from './topics/signals.ts'
import { slots } from './topics/slots.ts'
import { stages } from './topics/stages.ts'
import { subscribe } from './topics/subscribe.ts'
import { timedSlots } from './topics/timed-slots.ts'
import { tokens } from './topics/tokens.ts'
import { transact } from './topics/transact.ts'
import { upkeep } from './topics/upkeep.ts'
import { watch } from './topics/watch.ts'

/** One test, ready to run: `it(name, run)` in whatever runner there is. */
export interface ConformanceTest {
  readonly topic: string
  readonly name: string
  /** Why this subject is not asked; absent when it is. */
  readonly skip?: string
  /** It fails by itself after this long; a runner's own limit should be longer. */
  readonly limitMs: number
  /** Fails by throwing. */
  run(): Promise<ConformanceResult>
}

export interface ConformanceResult {
  /** Why the engine need not pass it, by its own declared capabilities; null when it was run. */
  readonly excused: string | null
}

const TOPICS: readonly Topic[] = [
  transact,
  batch,
  alike,
  etags,
  ready,
  due,
  find,
  audit,
  durations,
  counts,
  watch,
  claims,
  slots,
  timedSlots,
  queues,
  schedules,
  tokens,
  subscribe,
  signals,
  refusals,
  concurrency,
  gates,
  stages,
  escalation,
  groups,
  upkeep,
  close,
  reopen,
  histories,
]

/**
 * Everything that a store promises, as tests over the subject. They need no particular runner, start from an empty
 * store each, and ask for nothing that the engine declares it cannot do.
 */
export function storeConformance(subject: StoreSubject): readonly ConformanceTest[] {
  const skips = skipsByName(subject)
  const limitMs = subject.patienceMs ?? DEFAULT_PATIENCE_MS
  return TOPICS.flatMap(({ topic, checks }) =>
    checks.map((check) => {
      const skip = skips.get(check.name) ?? cannotReopen(subject, check)
      return {
        topic,
        name: check.name,
        limitMs: limitMs * (check.patience ?? 1),
        ...(skip === undefined ? null : { skip }),
        run: () => runCheck(subject, check),
      }
    }),
  )
}

/** A skip names tests that exist and says why, or it would outlive its reason unnoticed. */
function skipsByName({ name, skip = [] }: StoreSubject): ReadonlyMap<string, string> {
  const known = new Set(TOPICS.flatMap(({ checks }) => checks.map((check) => check.name)))
  const reasons = new Map<string, string>()
  for (const { reason, tests } of skip) {
    if (reason.trim() === '') throw new Error(`${name} skips ${tests.join(', ')} without a reason`)
    for (const test of tests) {
      if (!known.has(test)) throw new Error(`${name} skips a test that does not exist: ${test}`)
      reasons.set(test, reason)
    }
  }
  return reasons
}

function cannotReopen(subject: StoreSubject, { reopens }: Check): string | undefined {
  return reopens === true && subject.reopen === undefined ? 'nothing outlives this store' : undefined
}

async function runCheck(subject: StoreSubject, check: Check): Promise<ConformanceResult> {
  const scene = new Scene(subject)
  let result: ConformanceResult
  try {
    result = await play(scene, check)
  } catch (error) {
    // What went wrong first is the news; a store that failed its test may well fail to close.
    await scene.close().catch(() => {})
    throw error
  }
  await scene.close()
  return result
}

async function play(scene: Scene, check: Check): Promise<ConformanceResult> {
  await scene.open()
  const excused = check.excuse?.(scene.store.capabilities)
  if (excused !== undefined) return { excused }
  await within(scene.patienceMs * (check.patience ?? 1), check.run(scene), check.name)
  return { excused: null }
}
