import type { Does } from '../../../../../src/core/job/why-cause.ts'
import { callFor } from '../../../api/job-commands.ts'
import type { JobName } from '../../../api/jobs.ts'
import { useMay } from '../../../app/context.ts'
import { useConfirm } from '../../../parts/confirm.tsx'
import { useToasts } from '../../../parts/toasts.tsx'
import { useAskAgain, useJobDialogs } from './use-job-dialogs.tsx'

interface Unblocking {
  readonly label: string
  readonly whyNot: string | null
  run(): void
}

/** What a button does that gets a job moving. */
export function useUnblock(does: Does | null, effect: string, name: JobName): Unblocking {
  const { whyNot } = useMay('write')
  const confirm = useConfirm()
  const toasts = useToasts()
  const askAgain = useAskAgain(name)
  const dialogs = useJobDialogs(name)
  const label = does === null ? '' : labelOf(does)
  const call = does === null ? null : callFor(does)
  const ask = async () => {
    if (call === null) return
    const answer = await confirm({ title: `${label}?`, body: effect, confirm: label })
    if (answer === null) return
    await call(answer.reason)
    askAgain()
    toasts.say('Done', effect)
  }
  const run = () => {
    if (does?.verb === 'again' || does?.verb === 'annotate') dialogs[does.verb]()
    else void ask().catch(toasts.fail)
  }
  return { label, whyNot, run }
}

const IGNORING = {
  dependencies: 'Do not wait for dependencies',
  limits: 'Let it pass all limits',
  attempt: 'End this attempt',
  gate: 'Open the gate for it',
} as const

function labelOf(does: Does): string {
  switch (does.verb) {
    case 'expedite':
      if (does.ignore !== null) return IGNORING[does.ignore]
      return does.priority === null ? 'Expedite it' : 'Put it first'
    case 'resume_queue':
      return `Resume queue ${does.queue}`
    case 'again':
      return 'Run it again'
    case 'cancel':
      return 'Cancel it'
    case 'annotate':
      return 'Annotate it'
    case 'look':
      return `Look at ${does.job_id}`
  }
}
