// Mistakes in those who work, publish and keep time.
import { crc32 } from 'node:zlib'
import { refuse } from '../../../src/core/decision.ts'
import { Facade } from '../../conformance/facade.ts'
import type { Fault } from './fault.ts'

const NOT_NOW = { code: 'NOT_CLAIMABLE', message: 'not now', next: 'another time', details: {} } as const

export const IN_THE_SERVICES: readonly Fault[] = [
  {
    name: 'SENT is written before the publish',
    caughtBy: /is SENT by .*, and nobody took it/,
    plant: () => ({
      publisher: (sound, jobs) => ({
        publish: async (message, signal) => {
          const { tenant_id, jobId } = message.directive as {
            readonly tenant_id: string
            readonly jobId: string
          }
          const row = { tenant_id, job_id: jobId, outbox_id: message.outbox_id }
          await jobs.sent(row as Parameters<typeof jobs.sent>[0], { actor: 'dispatcher' })
          await sound.publish(message, signal)
        },
      }),
    }),
  },
  {
    name: 'a publish that failed is not written down',
    caughtBy: /was refused by the broker/,
    plant: () => ({
      jobs: () => ({
        publishFailed: async () => ({
          status: 'accepted',
          cancel: false,
          lease_expires_at: null,
          job_state: 'DISPATCHING',
          retry_at: null,
        }),
      }),
    }),
  },
  {
    name: 'news get lost',
    caughtBy: /nobody does|nobody advances|has not ended|still waits/,
    plant: () => ({
      store: (sound) => {
        let news = 0
        const deaf = new Facade(sound)
        deaf.subscribe = (listener) =>
          sound.subscribe(() => {
            if (++news % 3 !== 0) listener()
          })
        return deaf
      },
    }),
  },
  {
    name: 'the timekeeper passes over a job that is due',
    caughtBy: /nobody advances it|has not ended/,
    plant: () => ({
      store: (sound) => {
        const late = new Facade(sound)
        late.sweep = (selector, decide) =>
          sound.sweep(selector, (key, given) =>
            selector.what === 'due' && crc32(key.id) % 7 === 0 ? refuse(NOT_NOW) : decide(key, given),
          )
        return late
      },
    }),
  },
  {
    name: 'a worker begins the same attempt twice',
    caughtBy: /a second time/,
    plant: () => ({
      jobs: (sound) => ({
        claim: async (options) => (await sound.claim(options)).flatMap((work) => [work, work]),
      }),
    }),
  },
  {
    name: 'a worker reports its result twice',
    caughtBy: /reported twice/,
    plant: () => ({
      jobs: (sound) => ({
        result: async (attempt, result, options) => {
          const answer = await sound.result(attempt, result, options)
          if (options?.actor?.startsWith('worker-')) await sound.result(attempt, result, options)
          return answer
        },
      }),
    }),
  },
  {
    name: 'a worker goes to work before its claim is durable',
    caughtBy: /before that is durable/,
    engine: 'journal',
    plant: () => ({
      store: (sound) => {
        const hasty = new Facade(sound)
        hasty.sweep = async (selector, decide) => {
          const early: unknown[] = []
          const swept = sound.sweep(selector, (key, given) => {
            const decision = decide(key, given)
            if (decision.kind === 'change')
              early.push({ key, outcome: { ok: true, answer: decision.answer } })
            return decision
          })
          swept.catch(() => {})
          return selector.what === 'ready' && early.length > 0 ? (early as Awaited<typeof swept>) : swept
        }
        return hasty
      },
    }),
  },
]
