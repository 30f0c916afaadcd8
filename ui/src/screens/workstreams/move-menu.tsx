// Everything that dragging a card can do, for keys and fingers: a menu of the lanes, with the reason where a move is not possible.
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import type { BoardCard, BoardMove } from '../../../../src/core/group/board.ts'
import { useMay } from '../../app/context.ts'
import { LANE_TITLES } from './board-moves.ts'
import styles from './move-menu.module.css'
import { useMove } from './use-move.ts'

export function MoveMenu({ card }: { readonly card: BoardCard }) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const may = useMay('write')
  const move = useMove()
  const choose = ({ lane, state, allowed }: BoardMove) => {
    if (!may.allowed || !allowed || state === null) return
    menu.current?.hidePopover()
    void move(card, { state, to: LANE_TITLES[lane] })
  }
  return (
    <div className={styles.place}>
      <button
        ref={button}
        type="button"
        className={styles.button}
        popoverTarget={id}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={`Move to … ${card.workstream_id}`}
      >
        Move to … <span aria-hidden="true">▾</span>
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        aria-label={`Move ${card.workstream_id} to`}
        className={styles.menu}
        onToggle={({ newState }) => {
          setOpen(newState === 'open')
          if (newState === 'open') opened(menu.current, button.current)
        }}
        onKeyDown={(event) => onMenuKey(event, menu.current)}
      >
        {card.moves.map((one) => (
          <MenuItem
            key={one.lane}
            move={one}
            whyNot={may.whyNot ?? (one.allowed ? null : (one.why_not ?? ''))}
            onChoose={() => choose(one)}
          />
        ))}
      </div>
    </div>
  )
}

interface MenuItemProps {
  readonly move: BoardMove
  readonly whyNot: string | null
  onChoose(): void
}

function MenuItem({ move: { lane, state }, whyNot, onChoose }: MenuItemProps) {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      className={styles.item}
      aria-disabled={whyNot === null ? undefined : true}
      onClick={onChoose}
    >
      <span>{LANE_TITLES[lane]}</span>
      <span className={styles.about}>{whyNot ?? `It becomes ${state}`}</span>
    </button>
  )
}

const GAP_PX = 4

/** Below the button, or above it where there is no room, and within the window. */
function opened(menu: HTMLElement | null, button: HTMLElement | null): void {
  if (menu === null || button === null) return
  const at = button.getBoundingClientRect()
  const { width, height } = menu.getBoundingClientRect()
  const below = at.bottom + GAP_PX
  const top = below + height <= innerHeight ? below : Math.max(GAP_PX, at.top - GAP_PX - height)
  menu.style.top = `${top}px`
  menu.style.left = `${Math.max(GAP_PX, Math.min(at.left, innerWidth - width - GAP_PX))}px`
  itemsOf(menu)[0]?.focus()
}

function itemsOf(menu: HTMLElement): readonly HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]')]
}

function onMenuKey(event: KeyboardEvent, menu: HTMLElement | null): void {
  if (menu === null) return
  const items = itemsOf(menu)
  const at = items.indexOf(document.activeElement as HTMLElement)
  const to = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  }[event.key]
  if (event.key === 'Tab') menu.hidePopover()
  if (to === undefined) return
  event.preventDefault()
  items[to]?.focus()
}
