import type { WorkstreamRecord } from '../../../../src/core/group/workstream-record.ts'
import type { Machines } from '../../api/machines.ts'
import { useMay, usePage } from '../../app/context.ts'
import { Button } from '../../parts/button.tsx'
import { useMove, useSeal } from './use-move.ts'

/** Every state that it may be said to be in; those that there is no way to say why. */
export function MoveButtons({ workstream }: { readonly workstream: WorkstreamRecord }) {
  const { states } = usePage().machines.workstream
  const may = useMay('write')
  const move = useMove()
  const seal = useSeal()
  const { state, sealed } = workstream
  const own = states[state]
  const to = own?.to ?? []
  const others = Object.keys(states).filter((other) => isReachable(states, other) && other !== state)
  const noWay =
    to.length === 0 ? `It is ${state}: that is the end` : `From ${state} it may become ${to.join(', ')}`
  return (
    <>
      {others.map((other) => (
        <Button
          key={other}
          look={states[other]?.tone === 'bad' ? 'danger' : 'plain'}
          title={states[other]?.about ?? other}
          whyNot={may.whyNot ?? (to.includes(other) ? null : noWay)}
          onClick={() => void move(workstream, { state: other, to: other })}
        >
          Move to {other}
        </Button>
      ))}
      <Button
        whyNot={may.whyNot ?? (sealed ? 'It is sealed already' : own?.terminal === true ? noWay : null)}
        title="No more jobs are to come: it ends when those it has do"
        onClick={() => void seal(workstream)}
      >
        Seal
      </Button>
    </>
  )
}

/** Some state leads to it: it is not only where a workstream begins. */
function isReachable(states: Machines['workstream']['states'], state: string): boolean {
  return Object.values(states).some(({ to }) => to.includes(state))
}
