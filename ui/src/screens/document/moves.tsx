import { type DocumentRecord, moveDocument } from '../../api/documents.ts'
import { useMay, usePage } from '../../app/context.ts'
import { Button } from '../../parts/button.tsx'
import { useAct } from '../../parts/use-act.ts'
import styles from './document.module.css'

/** Where it may go from here, by hand. */
export function Moves({ document }: { readonly document: DocumentRecord }) {
  const { machines } = usePage()
  const { whyNot } = useMay('write')
  const move = useMove(document)
  const { states } = machines.document
  const next = states[document.state]?.to ?? []
  if (next.length === 0)
    return <p className={styles.meaning}>It has ended: there is nowhere to go from here.</p>
  return (
    <fieldset className={styles.moves}>
      <legend>Move it by hand to</legend>
      {next.map((state) => (
        <Button
          key={state}
          look={states[state]?.tone === 'bad' ? 'danger' : 'plain'}
          whyNot={whyNot}
          title={states[state]?.about ?? ''}
          onClick={() => void move(state)}
        >
          {state}
        </Button>
      ))}
    </fieldset>
  )
}

function useMove(document: DocumentRecord) {
  const { machines } = usePage()
  const act = useAct()
  return (state: string) => {
    const spec = machines.document.states[state]
    return act({
      question: {
        title: `Move ${document.doc_id} from ${document.state} to ${state}?`,
        body: `${state}: ${spec?.about}. Whoever works on it now is not told.`,
        confirm: `Move it to ${state}`,
        isDangerous: spec?.tone === 'bad',
      },
      does: (reason) => moveDocument({ document, state, reason }),
      said: () => `${document.doc_id} is ${state} now`,
      topics: ['document'],
    })
  }
}
