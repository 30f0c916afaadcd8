// A machine as a picture: its states where the layout has them, each with how many records are there, and the arrows that lead
// on from the one that somebody looks at.
import { type ReactNode, useMemo, useState } from 'react'
import type { Machine } from '../../../src/core/machine.ts'
import { short } from '../format/numbers.ts'
import styles from './machine-diagram.module.css'
import { layoutOf, type MachineEdge, type MachineNode } from './machine-layout.ts'

interface MachineDiagramProps {
  readonly machine: Machine<string>
  readonly label: string
  readonly counts?: { readonly [state: string]: number } | undefined
  /** Where the record is, or what the list is narrowed down to. */
  readonly chosen?: readonly string[]
  /** Edges that were gone along, as `from>to`. */
  readonly taken?: ReadonlySet<string>
  /** Where a state leads to when it is pressed. Without it states are not links. */
  readonly linkTo?: (state: string, content: ReactNode, props: StateLinkProps) => ReactNode
}

interface StateLinkProps {
  readonly className: string | undefined
  readonly 'aria-label': string
  readonly onFocus: () => void
  readonly onBlur: () => void
}

export function MachineDiagram({ machine, label, counts, chosen = [], taken, linkTo }: MachineDiagramProps) {
  const layout = useMemo(() => layoutOf(machine), [machine])
  const [looked, setLooked] = useState<string | null>(null)
  const isLit = ({ from, to }: MachineEdge) => looked !== null && (from === looked || to === looked)
  const edges = layout.edges.toSorted((a, b) => Number(isLit(a)) - Number(isLit(b)))
  return (
    <div className={styles.scroller} tabIndex={0} role="region" aria-label={label}>
      <svg
        className={styles.diagram}
        viewBox={`0 0 ${layout.width} ${layout.height}`}
        role="group"
        aria-label={label}
        data-looked={looked !== null}
      >
        {edges.map((edge) => (
          <Edge
            key={`${edge.from}>${edge.to}`}
            edge={edge}
            isLit={isLit(edge)}
            isTaken={isTaken(edge, taken)}
          />
        ))}
        {layout.nodes.map((node) => {
          const { state } = node
          const box = (
            <StateBox
              node={node}
              machine={machine}
              count={counts?.[state]}
              isChosen={chosen.includes(state)}
              isVisited={taken === undefined || visited(state, taken)}
            />
          )
          const look = { onFocus: () => setLooked(state), onBlur: () => setLooked(null) }
          return (
            <g key={state} onPointerEnter={look.onFocus} onPointerLeave={look.onBlur}>
              <title>{machine.states[state]?.about}</title>
              {linkTo === undefined
                ? box
                : linkTo(state, box, {
                    className: styles.link,
                    'aria-label': spoken(machine, state, counts?.[state]),
                    ...look,
                  })}
            </g>
          )
        })}
      </svg>
    </div>
  )
}

function isTaken({ from, to }: MachineEdge, taken: ReadonlySet<string> | undefined): boolean {
  return taken?.has(`${from}>${to}`) === true
}

function visited(state: string, taken: ReadonlySet<string>): boolean {
  return [...taken].some((edge) => edge.split('>').includes(state))
}

function spoken(machine: Machine<string>, state: string, count: number | undefined): string {
  const spec = machine.states[state]
  const next = (spec?.to ?? []).filter((to) => to !== state)
  // It begins with what is written there, for those who say what they see.
  const many = count === undefined ? '' : ` ${short(count)}`
  return `${state}${many}. ${spec?.about}. ${next.length === 0 ? 'It ends here' : `Goes on to ${next.join(', ')}`}`
}

interface EdgeProps {
  readonly edge: MachineEdge
  readonly isLit: boolean
  readonly isTaken: boolean
}

function Edge({ edge: { kind, path, head }, isLit, isTaken }: EdgeProps) {
  return (
    <g className={styles.edge} data-kind={kind} data-lit={isLit} data-taken={isTaken}>
      <path className={styles.line} d={path} />
      <path className={styles.head} d={head} />
    </g>
  )
}

interface StateBoxProps {
  readonly node: MachineNode
  readonly machine: Machine<string>
  readonly count: number | undefined
  readonly isChosen: boolean
  readonly isVisited: boolean
}

function StateBox({ node, machine, count, isChosen, isVisited }: StateBoxProps) {
  const { state, x, y, width, height } = node
  const spec = machine.states[state]
  const [middle, half] = [x + width / 2, y + height / 2]
  return (
    <g
      className={styles.state}
      data-tone={spec?.tone}
      data-state={state}
      data-chosen={isChosen}
      data-empty={count === 0 || !isVisited}
    >
      <rect className={styles.ground} x={x} y={y} width={width} height={height} rx="8" />
      <rect className={styles.box} x={x} y={y} width={width} height={height} rx="8" />
      <text>
        <tspan className={styles.name} x={middle} y={count === undefined ? half + 4 : half - 4}>
          {state}
        </tspan>{' '}
        {count === undefined ? null : (
          <tspan className={styles.count} x={middle} y={half + 13}>
            {short(count)}
          </tspan>
        )}
      </text>
    </g>
  )
}
