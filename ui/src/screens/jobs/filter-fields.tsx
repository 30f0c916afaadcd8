import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { countsQuery } from '../../api/counts.ts'
import type { JobFilters } from '../../api/jobs.ts'
import { usePage } from '../../app/context.ts'
import { useUrlState } from '../../app/url-state.ts'
import { short } from '../../format/numbers.ts'
import { ChipFilter, Filters, TextFilter } from '../../parts/filters.tsx'
import styles from './jobs.module.css'

const MORE = [
  { name: 'request_type', label: 'Request type' },
  { name: 'pipeline_name', label: 'Pipeline' },
  { name: 'protocol_id', label: 'Protocol' },
  { name: 'step_id', label: 'At step' },
  { name: 'doc_id', label: 'Document' },
  { name: 'run_id', label: 'Run' },
  { name: 'workstream_id', label: 'Workstream' },
] as const satisfies readonly { readonly name: keyof JobFilters; readonly label: string }[]

/** As they are called in the URL, and by the server. */
export const FILTER_NAMES = ['state', 'q', ...MORE.map(({ name }) => name)] as const

export function JobFilterFields() {
  const [url] = useUrlState()
  const said = MORE.filter(({ name }) => url[name] !== undefined).length
  const [isOpen, setOpen] = useState(said > 0)
  return (
    <div className={styles.filters}>
      <Filters>
        <TextFilter name="q" label="Text" placeholder="Part of an id, type, tag…" />
        <StateChips />
      </Filters>
      <details
        className={styles.more}
        open={isOpen}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      >
        <summary>More filters{said === 0 ? '' : ` (${said})`}</summary>
        <Filters>
          {MORE.map(({ name, label }) => (
            <TextFilter key={name} name={name} label={label} placeholder="Exactly" />
          ))}
        </Filters>
      </details>
    </div>
  )
}

function StateChips() {
  const { tenant, machines } = usePage()
  const { data: counts } = useQuery(countsQuery(tenant, 'job'))
  const chips = Object.entries(machines.job.states).map(([state, { tone, about }]) => ({
    value: state,
    tone,
    about,
    title: (
      <>
        {state} <span className={styles.count}>{counts === undefined ? '' : short(counts[state] ?? 0)}</span>
      </>
    ),
  }))
  return <ChipFilter name="state" label="State" chips={chips} />
}
