import { IN_FLIGHT, RATE_SLOT } from '../../src/core/job/limits.ts'
import type { Ledger } from '../../src/ledger/ledger.ts'
import type { Store } from '../../src/store/store.ts'
import { law } from './law-broken.ts'
import { madeBy } from './laws/attempts.ts'
import { TENANTS } from './protocols.ts'
import { mustHoldShadow } from './same-as-shadow.ts'
import type { Shadow } from './shadow.ts'

/** Everything has ended: nothing is held, nothing is due, nothing waits, and the ledger finds no fault with itself. */
export async function mustBeAtRest(store: Store, shadow: Shadow): Promise<void> {
  await mustHoldShadow(store, shadow)
  const findings = await store.check()
  law(findings.length === 0, () => `the ledger found ${JSON.stringify(findings)}`)
  const used = await store.ready([], 1, (_, view) =>
    usedSlots(shadow, (tenant, key) => view.used(tenant, key)),
  )
  law(used.length === 0, () => `everything has ended, and places are held under ${used.join(', ')}`)
  const due = await store.nextDue()
  law(due === null || due === 0, () => `everything has ended, and something is due at ${due}`)
}

/** What steps came to can be read, also what went to files, and is theirs. */
export async function mustHaveOutputs({ jobs }: Ledger, shadow: Shadow): Promise<void> {
  for (const { steps } of shadow.jobs.values()) {
    for (const step of steps.filter(
      ({ state, delivery }) => state === 'SUCCEEDED' && delivery !== 'external',
    )) {
      const output = (await jobs.output(step)) as { readonly by?: string } | null
      const by = madeBy(output?.by ?? 'nobody')
      law(
        by === step.result_ref,
        () => `${step.job_id}/${step.step_id} has the output of ${by}, not ${step.result_ref}`,
      )
    }
  }
}

/** Places that are held until somebody gives them back; the others go by themselves. */
function usedSlots(shadow: Shadow, used: (tenant_id: string, key: string) => number): readonly string[] {
  const names = [...shadow.slots.keys(), ...TENANTS.map((tenant) => `${tenant} ${IN_FLIGHT}`)]
  return [...new Set(names)].filter((name) => {
    const at = name.indexOf(' ')
    const key = name.slice(at + 1)
    return !key.startsWith(RATE_SLOT) && used(name.slice(0, at), key) > 0
  })
}
