// Many jobs at once: they are counted first, the question names how many, and nothing is done if there are more by then.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { countMany, doToMany } from '../../api/job-commands.ts'
import type { JobFilters } from '../../api/jobs.ts'
import { useMay, usePage } from '../../app/context.ts'
import { many } from '../../format/numbers.ts'
import { Button } from '../../parts/button.tsx'
import { useConfirm } from '../../parts/confirm.tsx'
import { useToasts } from '../../parts/toasts.tsx'
import { type ManyVerb, planMany } from './many.ts'

const WORDS = {
  cancel: {
    button: 'Cancel all that match…',
    ask: (jobs: string) => `Cancel the ${jobs} that match?`,
    confirm: (jobs: string) => `Cancel ${jobs}`,
    about: 'What is running is told to stop. Each ends by itself, and none comes back.',
    done: (jobs: string) => `${jobs} cancelled`,
    none: 'No job that matches can be cancelled',
  },
  again: {
    button: 'Run failed again…',
    ask: (jobs: string) => `Run the ${jobs} again?`,
    confirm: (jobs: string) => `Run ${jobs} again`,
    about:
      'Each makes a new job, from the beginning. Those that were run again in this way before are left alone.',
    done: (jobs: string) => `${jobs} run again`,
    none: 'No job that matches can be run again',
  },
} as const

export function ManyActions({ filters }: { readonly filters: JobFilters }) {
  return (
    <>
      <ManyAction verb="again" filters={filters} />
      <ManyAction verb="cancel" filters={filters} />
    </>
  )
}

function ManyAction({ verb, filters }: { readonly verb: ManyVerb; readonly filters: JobFilters }) {
  const { tenant, machines } = usePage()
  const { whyNot: mayNot } = useMay('write')
  const { filter, whyNot } = planMany(verb, filters, tenant, machines.job)
  const [isBusy, setBusy] = useState(false)
  const confirm = useConfirm()
  const toasts = useToasts()
  const client = useQueryClient()
  const words = WORDS[verb]
  // Unless states are named, the server runs again what failed.
  const isFailed = verb === 'again' && filter?.state === undefined
  const named = (n: number) => (isFailed ? many(n, 'failed job') : many(n, 'job'))
  const run = async () => {
    if (filter === null) return
    const which = { tenant, verb, filter }
    const { count, is_more } = await countMany(which)
    if (count === 0) return toasts.say(words.none)
    if (is_more) throw new Error(`More than ${many(count, 'job')} match: narrow them down first.`)
    const answer = await confirm({
      title: words.ask(named(count)),
      body: words.about,
      confirm: words.confirm(named(count)),
      isDangerous: verb === 'cancel',
    })
    if (answer === null) return
    const { done, unchanged, failed_count, failed } = await doToMany(which, count, answer.reason)
    void client.invalidateQueries()
    const rest = [
      unchanged === 0 ? '' : `${many(unchanged, 'job')} stayed as they were.`,
      failed_count === 0 ? '' : `${many(failed_count, 'job')} refused: ${failed[0]?.message ?? ''}`,
    ]
    toasts.say(words.done(many(done, 'job')), rest.filter((text) => text !== '').join(' '))
  }
  return (
    <Button
      look={verb === 'cancel' ? 'danger' : 'plain'}
      whyNot={mayNot ?? whyNot}
      isBusy={isBusy}
      onClick={() => {
        setBusy(true)
        run()
          .catch(toasts.fail)
          .finally(() => setBusy(false))
      }}
    >
      {verb === 'again' && filter?.state !== undefined ? 'Run all that match again…' : words.button}
    </Button>
  )
}
