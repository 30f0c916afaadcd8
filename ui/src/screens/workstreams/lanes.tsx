import { useState } from 'react'
import type { Board, BoardCard, BoardLane } from '../../../../src/core/group/board.ts'
import { useMay } from '../../app/context.ts'
import { count } from '../../format/numbers.ts'
import { useToasts } from '../../parts/toasts.tsx'
import {
  dropOn,
  type Held,
  heldCard,
  keyOfCard,
  LANE_TITLES,
  type Lane,
  type Welcome,
  welcomeOf,
} from './board-moves.ts'
import { Card } from './card.tsx'
import styles from './lanes.module.css'
import { useMove } from './use-move.ts'

export function Lanes({ board }: { readonly board: Board }) {
  const [held, setHeld] = useState<Held | null>(null)
  const card = heldCard(board, held)
  const move = useMove()
  const toasts = useToasts()
  const onDrop = (lane: Lane) => {
    setHeld(null)
    if (card === null) return
    const drop = dropOn(lane, card)
    if (drop.is === 'refused') toasts.fail(new Error(refusedText(card, lane, drop.why)))
    if (drop.is === 'move') void move(card, { state: drop.move.state, to: LANE_TITLES[lane] })
  }
  return (
    <div className={styles.lanes} role="region" aria-label="Board" tabIndex={0}>
      {board.lanes.map((lane) => (
        <LaneColumn
          key={lane.lane}
          lane={lane}
          held={card}
          welcome={welcomeOf(lane.lane, card)}
          onHold={(one) => setHeld({ key: keyOfCard(one), from: one.lane })}
          onLetGo={() => setHeld(null)}
          onDrop={() => onDrop(lane.lane)}
        />
      ))}
    </div>
  )
}

function refusedText({ workstream_id }: BoardCard, lane: Lane, why: string): string {
  return `${workstream_id} cannot be moved to ${LANE_TITLES[lane]}. ${why}.`
}

interface LaneColumnProps {
  readonly lane: BoardLane
  /** The card that somebody holds over the board. */
  readonly held: BoardCard | null
  readonly welcome: Welcome
  onHold(card: BoardCard): void
  onLetGo(): void
  onDrop(): void
}

function LaneColumn({ lane, held, welcome, onHold, onLetGo, onDrop }: LaneColumnProps) {
  const [isOver, setOver] = useState(false)
  const may = useMay('write')
  const title = LANE_TITLES[lane.lane]
  const why = welcome === 'no' && held !== null ? dropOn(lane.lane, held) : null
  return (
    <section
      className={styles.lane}
      aria-label={title}
      data-lane={lane.lane}
      data-welcome={welcome}
      data-over={isOver && held !== null}
      onDragOver={(event) => {
        if (held === null) return
        // Also where it may not go: being told why is better than a card that flies back.
        event.preventDefault()
        event.dataTransfer.dropEffect = 'move'
        setOver(true)
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        onDrop()
      }}
    >
      <header className={styles.head}>
        <h2>{title}</h2>
        <span className={styles.count}>
          {count(lane.items.length)}
          {lane.is_more ? '+' : ''}
        </span>
        <p>{why?.is === 'refused' ? why.why : lane.about}</p>
      </header>
      <ul className={styles.cards} aria-label={`Workstreams in ${title}`} tabIndex={0}>
        {lane.items.map((card) => (
          <Card
            key={keyOfCard(card)}
            card={card}
            isHeld={held !== null && keyOfCard(held) === keyOfCard(card)}
            canBeHeld={may.allowed}
            onHold={() => onHold(card)}
            onLetGo={() => {
              setOver(false)
              onLetGo()
            }}
          />
        ))}
        {lane.items.length === 0 ? <li className={styles.none}>Nothing here</li> : null}
        {lane.is_more ? <li className={styles.none}>The newest are shown; there are more.</li> : null}
      </ul>
    </section>
  )
}
