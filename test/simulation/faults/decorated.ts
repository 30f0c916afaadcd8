import type { Jobs } from '../../../src/ledger/jobs.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'

/** Puts other verbs in front of those that a ledger has for jobs. */
export function withJobs(ledger: Ledger, other: (sound: Jobs) => Partial<Jobs>): void {
  const sound = ledger.jobs
  const verbs = other(sound) as { readonly [name: string]: unknown }
  const jobs = new Proxy(sound, {
    get: (target, name) => {
      const own = typeof name === 'string' ? verbs[name] : undefined
      if (own !== undefined) return own
      const value = Reflect.get(target, name, target) as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  Object.defineProperty(ledger, 'jobs', { value: jobs })
}
