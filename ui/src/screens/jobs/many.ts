// What can be done to all jobs that match. The server finds them by less than the list can be narrowed down by; where the
// list says more, nothing may be done, because it would be done to jobs that are not listed.
import type { Machine } from '../../../../src/core/machine.ts'
import type { ManyFilter } from '../../api/job-commands.ts'
import type { JobFilters } from '../../api/jobs.ts'
import { ALL_TENANTS } from '../../api/session.ts'
import { listIn } from '../../app/url-state.ts'

export type ManyVerb = 'cancel' | 'again'

export type ManyPlan =
  | { readonly filter: ManyFilter; readonly whyNot: null }
  | { readonly filter: null; readonly whyNot: string }

const ONLY_LISTED = { q: 'text', pipeline_name: 'pipeline', step_id: 'step' } as const

export function planMany(
  verb: ManyVerb,
  { state, ...others }: JobFilters,
  tenant: string,
  machine: Machine<string>,
): ManyPlan {
  if (tenant === ALL_TENANTS) return refused('Choose one tenant first: it is done for one at a time.')
  for (const [name, title] of Object.entries(ONLY_LISTED)) {
    if (others[name as keyof typeof ONLY_LISTED] === undefined) continue
    return refused(`Take the filter by ${title} away first: many jobs cannot be chosen by it.`)
  }
  const filter: { [name: string]: string | readonly string[] } = {}
  for (const [name, value] of Object.entries(others)) if (value !== undefined) filter[name] = value
  const chosen = listIn(state)
  if (chosen.length === 0) return { filter, whyNot: null }
  const wantsEnded = verb === 'again'
  const able = chosen.filter((one) => (machine.states[one]?.terminal === true) === wantsEnded)
  if (able.length > 0) return { filter: { ...filter, state: able }, whyNot: null }
  return refused(
    wantsEnded
      ? 'None of the chosen states is one that a job ends in.'
      : 'Jobs in the chosen states have ended already.',
  )
}

function refused(whyNot: string): ManyPlan {
  return { filter: null, whyNot }
}
