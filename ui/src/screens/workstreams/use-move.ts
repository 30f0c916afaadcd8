// Says where a workstream stands: asks first, sends what was seen, and tells what came of it.
import { useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../api/client.ts'
import { moveWorkstream, type SeenWorkstream, sealWorkstream } from '../../api/workstreams.ts'
import { usePage } from '../../app/context.ts'
import { useConfirm } from '../../parts/confirm.tsx'
import { useToasts } from '../../parts/toasts.tsx'
import { ChangedMeanwhile } from './changed-meanwhile.ts'

interface Move {
  readonly state: string
  /** Where it goes, as the reader calls it: `Quarantine`. */
  readonly to: string
}

export function useMove(): (seen: SeenWorkstream, move: Move) => Promise<void> {
  const confirm = useConfirm()
  const { states } = usePage().machines.workstream
  const done = useDone()
  return async (seen, { state, to }) => {
    const spec = states[state]
    const confirmed = await confirm({
      title: `Move ${seen.workstream_id} to ${to}?`,
      body:
        `It becomes ${state}: ${spec?.about ?? ''}.` +
        (spec?.terminal === true ? ' There is no way back from there.' : '') +
        ' Its jobs are left as they are.',
      confirm: `Move to ${to}`,
      isDangerous: spec?.tone === 'bad',
    })
    if (confirmed === null) return
    await done(seen, `${seen.workstream_id} is ${state} now`, () =>
      moveWorkstream(seen, state, confirmed.reason),
    )
  }
}

export function useSeal(): (seen: SeenWorkstream) => Promise<void> {
  const confirm = useConfirm()
  const done = useDone()
  return async (seen) => {
    const confirmed = await confirm({
      title: `Seal ${seen.workstream_id}?`,
      body: 'No more jobs can be added to it, and it ends when those that it has do.',
      confirm: 'Seal it',
    })
    if (confirmed === null) return
    await done(seen, `${seen.workstream_id} takes no more jobs`, () => sealWorkstream(seen, confirmed.reason))
  }
}

function useDone() {
  const client = useQueryClient()
  const toasts = useToasts()
  return async (seen: SeenWorkstream, said: string, change: () => Promise<unknown>) => {
    try {
      await change()
      toasts.say(said)
    } catch (error) {
      const isStale = error instanceof ApiError && error.status === 412
      toasts.fail(isStale ? new ChangedMeanwhile(seen.workstream_id) : error)
    }
    await client.invalidateQueries({ queryKey: ['workstreams'] })
  }
}
