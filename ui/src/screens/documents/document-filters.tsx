import { useRef } from 'react'
import type { Counts } from '../../api/counts.ts'
import { usePage } from '../../app/context.ts'
import { listIn, useUrlState } from '../../app/url-state.ts'
import { short } from '../../format/numbers.ts'
import { Button } from '../../parts/button.tsx'
import { ChipFilter, ChoiceFilter, Filters, TextFilter } from '../../parts/filters.tsx'

const HOURS = [
  { value: 'usual', title: 'Longer than 99 of 100' },
  { value: '0.0167', title: 'A minute' },
  { value: '1', title: 'An hour' },
  { value: '24', title: 'A day' },
  { value: '168', title: 'A week' },
]

export function DocumentFilters({ counts }: { readonly counts: Counts | undefined }) {
  const { machines } = usePage()
  const [url, setUrl] = useUrlState()
  const isStuck = url.stuck === '1'
  const chosen = listIn(url.state)
  // What nobody is in would only be in the way; but what was there once stays, so that nothing moves under the pointer.
  const seen = useRef(new Set<string>())
  for (const [state, n] of Object.entries(counts ?? {})) if (n > 0) seen.current.add(state)
  const chips = Object.entries(machines.document.states)
    .filter(([state]) => seen.current.has(state) || chosen.includes(state))
    .map(([state, { tone, about }]) => ({
      value: state,
      tone,
      about,
      title: counts === undefined ? state : `${state} ${short(counts[state] ?? 0)}`,
    }))
  return (
    <Filters>
      <TextFilter name="q" label="Search" placeholder="Id, adapter or error" />
      <TextFilter name="adapter" label="Adapter" placeholder="Exactly" />
      <Button isPressed={isStuck} onClick={() => setUrl({ stuck: isStuck ? null : '1', hours: null })}>
        Only stuck ones
      </Button>
      {isStuck ? <ChoiceFilter name="hours" label="Stuck means longer than" choices={HOURS} /> : null}
      <ChipFilter name="state" label="State" chips={chips} />
    </Filters>
  )
}
