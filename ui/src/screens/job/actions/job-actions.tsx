import { useQuery } from '@tanstack/react-query'
import type { JobActionName } from '../../../../../src/core/job/actions.ts'
import { actionsQuery, type JobName } from '../../../api/jobs.ts'
import { useMay } from '../../../app/context.ts'
import { Button } from '../../../parts/button.tsx'
import { useJobDialogs } from './use-job-dialogs.tsx'

const SHOWN: readonly (readonly [JobActionName, string])[] = [
  ['expedite', 'Expedite…'],
  ['again', 'Run again…'],
  ['annotate', 'Annotate…'],
  ['cancel', 'Cancel…'],
]

/** Whatever may be done with it; the rules say which, and why not the others. */
export function JobActions({ name }: { readonly name: JobName }) {
  const { data: actions } = useQuery(actionsQuery(name))
  const may = useMay('write')
  const dialogs = useJobDialogs(name)
  return SHOWN.map(([action, label]) => {
    const verdict = actions?.find((one) => one.action === action)
    const refused = verdict === undefined ? 'It is being asked whether this can be done.' : whyNotOf(verdict)
    return (
      <Button
        key={action}
        look={action === 'cancel' ? 'danger' : 'plain'}
        whyNot={may.whyNot ?? refused}
        {...(verdict === undefined ? null : { title: verdict.about })}
        onClick={dialogs[action]}
      >
        {label}
      </Button>
    )
  })
}

function whyNotOf({
  allowed,
  why_not,
  next,
}: {
  readonly allowed: boolean
  readonly why_not: string | null
  readonly next: string | null
}): string | null {
  if (allowed) return null
  return [why_not ?? 'It cannot be done now', next].filter((text) => text !== null).join('. ')
}
