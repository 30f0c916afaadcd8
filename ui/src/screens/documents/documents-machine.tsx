import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import type { Counts } from '../../api/counts.ts'
import { usePage } from '../../app/context.ts'
import { changed, listIn, type UrlState, useUrlState } from '../../app/url-state.ts'
import { count } from '../../format/numbers.ts'
import { Button } from '../../parts/button.tsx'
import { Panel } from '../../parts/panel.tsx'
import { MachineDiagram } from '../../shapes/machine-diagram.tsx'
import styles from './documents.module.css'

/** Where documents are, as a picture or as a list. What is pressed narrows the list below down. */
export function DocumentsMachine({ counts }: { readonly counts: Counts | undefined }) {
  const { machines } = usePage()
  const [url, setUrl] = useUrlState()
  const id = useId()
  const isWide = matchMedia('(min-width: 60rem) and (min-height: 45rem)').matches
  const shown = url.diagram ?? (isWide ? 'picture' : 'none')
  const toggle = (name: string, title: string) => (
    <Button
      look="quiet"
      isPressed={shown === name}
      onClick={() => setUrl({ diagram: shown === name ? 'none' : name })}
    >
      {title}
    </Button>
  )
  return (
    <Panel
      title="Where documents are"
      isFlush
      actions={
        <>
          {toggle('picture', 'Picture')}
          {toggle('list', 'List')}
        </>
      }
    >
      <div id={id} className={shown === 'none' ? styles.closed : styles.machine}>
        {shown === 'picture' ? (
          <MachineDiagram
            machine={machines.document}
            label="States of documents"
            counts={counts}
            chosen={listIn(url.state)}
            linkTo={(state, content, props) => (
              <Link {...props} target="_self" to="." search={searchFor(state) as never}>
                {content}
              </Link>
            )}
          />
        ) : null}
        {shown === 'list' ? <StateList counts={counts} /> : null}
      </div>
    </Panel>
  )
}

/** That state only; the same one again takes it away. */
function searchFor(state: string) {
  return (before: UrlState) => changed(before, { state: before.state === state ? null : state })
}

function StateList({ counts }: { readonly counts: Counts | undefined }) {
  const { machines } = usePage()
  return (
    <ul className={styles.states} aria-label="States of documents">
      {Object.entries(machines.document.states).map(([state, { tone, about, to }]) => (
        <li key={state} data-tone={tone}>
          <Link to="." search={searchFor(state) as never}>
            {state}
          </Link>{' '}
          <strong>{count(counts?.[state] ?? 0)}</strong>
          <span>
            {about}. {to.length === 0 ? 'It ends here' : `Goes on to ${to.join(', ')}`}.
          </span>
        </li>
      ))}
    </ul>
  )
}
