// What can be done with a job: each asks first, does it, and says what came of it.
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { JobActionName } from '../../../../../src/core/job/actions.ts'
import { annotateJob, cancelJob, type Expediting, expediteJob, runAgain } from '../../../api/job-commands.ts'
import { actionsQuery, type JobName, jobKey } from '../../../api/jobs.ts'
import { useConfirm } from '../../../parts/confirm.tsx'
import { pathOf } from '../../../parts/record-link.tsx'
import { useToasts } from '../../../parts/toasts.tsx'
import { AnnotateFields, ExpediteFields, FromStepField } from './dialog-fields.tsx'

/** Everything about a job is looked at once more. */
export function useAskAgain(name: JobName): () => void {
  const client = useQueryClient()
  return useCallback(() => void client.invalidateQueries({ queryKey: jobKey(name) }), [client, name])
}

export function useJobDialogs(name: JobName): { readonly [action in JobActionName]: () => void } {
  const client = useQueryClient()
  const confirm = useConfirm()
  const toasts = useToasts()
  const navigate = useNavigate()
  const askAgain = useAskAgain(name)

  const cancel = async () => {
    const body = 'What is running is told to stop. A cancelled job does not come back, but may be run again.'
    const title = `Cancel job ${name.id}?`
    const answer = await confirm({ title, body, confirm: 'Cancel the job', isDangerous: true })
    if (answer === null) return
    await cancelJob(name, answer.reason)
    toasts.say(`Job ${name.id} is cancelled`)
  }
  const again = async () => {
    const actions = (await client.fetchQuery(actionsQuery(name))).items
    const steps = actions.find(({ action }) => action === 'again')?.from_steps ?? []
    let from = ''
    const answer = await confirm({
      title: `Run job ${name.id} again?`,
      body: <FromStepField steps={steps} onChange={(step) => (from = step)} />,
      confirm: 'Run it again',
    })
    if (answer === null) return
    const id = await runAgain(name, answer.reason, from)
    toasts.say(`It runs again as job ${id}`)
    void navigate({ to: pathOf('job', name.tenant, id) } as never)
  }
  const expedite = async () => {
    let how: Expediting = {}
    const answer = await confirm({
      title: `Expedite job ${name.id}?`,
      body: <ExpediteFields onChange={(chosen) => (how = chosen)} />,
      confirm: 'Expedite it',
    })
    if (answer === null) return
    await expediteJob(name, answer.reason, how)
    toasts.say(`Job ${name.id} is expedited`)
  }
  const annotate = async () => {
    let said = { name: '', value: '' }
    const answer = await confirm({
      title: `Annotate job ${name.id}`,
      body: <AnnotateFields onChange={(chosen) => (said = chosen)} />,
      confirm: 'Annotate it',
    })
    if (answer === null) return
    if (said.name.trim() === '') throw new Error('Nothing was annotated: give the annotation a name')
    await annotateJob(name, answer.reason, { [said.name.trim()]: valueIn(said.value) })
    toasts.say(`Job ${name.id} has ${said.name.trim()} now`)
  }
  const run = (dialog: () => Promise<void>) => () => void dialog().then(askAgain).catch(toasts.fail)
  return { cancel: run(cancel), again: run(again), expedite: run(expedite), annotate: run(annotate) }
}

/** What is JSON is taken as such; anything else is a text. */
function valueIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
