// What may be done with the cards of a board. Which moves there are is told by the server; this is only about finding them.
import type { Board, BoardCard, BoardMove } from '../../../../src/core/group/board.ts'

export type Lane = BoardMove['lane']

/** As people call them. */
export const LANE_TITLES: { readonly [lane in Lane]: string } = {
  waiting: 'Waiting',
  running: 'Running',
  fixing: 'Fixing',
  quarantine: 'Quarantine',
  completed: 'Completed',
}

export function keyOfCard({ tenant_id, workstream_id }: BoardCard): string {
  return JSON.stringify([tenant_id, workstream_id])
}

/** A card that somebody has picked up, and where. */
export interface Held {
  readonly key: string
  readonly from: Lane
}

/** The card that is held, as the board has it now; null when it is gone, or has moved by itself. */
export function heldCard({ lanes }: Board, held: Held | null): BoardCard | null {
  if (held === null) return null
  const items = lanes.find(({ lane }) => lane === held.from)?.items ?? []
  return items.find((card) => keyOfCard(card) === held.key) ?? null
}

/** What a lane is to the card that is held over the board. */
export type Welcome = 'none' | 'home' | 'yes' | 'no'

export function welcomeOf(lane: Lane, card: BoardCard | null): Welcome {
  if (card === null) return 'none'
  if (card.lane === lane) return 'home'
  return moveTo(lane, card)?.allowed === true ? 'yes' : 'no'
}

function moveTo(lane: Lane, { moves }: BoardCard): BoardMove | undefined {
  return moves.find((move) => move.lane === lane)
}

/** What dropping a card on a lane comes to: a state to be asked for, a reason why not, or nothing. */
export type Drop =
  | { readonly is: 'move'; readonly move: BoardMove & { readonly state: string } }
  | { readonly is: 'refused'; readonly why: string }
  | { readonly is: 'nothing' }

export function dropOn(lane: Lane, card: BoardCard): Drop {
  if (card.lane === lane) return { is: 'nothing' }
  const move = moveTo(lane, card)
  if (move?.allowed === true && move.state !== null) {
    return { is: 'move', move: { ...move, state: move.state } }
  }
  return { is: 'refused', why: move?.why_not ?? 'There is no such move' }
}

export function isEmptyBoard({ lanes }: Board): boolean {
  return lanes.every(({ items }) => items.length === 0)
}

/** `3 open, 1 failed`; `no jobs yet`. */
export function jobsInWords({ open, succeeded, failed, cancelled, is_more }: BoardCard['jobs']): string {
  const parts = [
    [open, 'open'],
    [succeeded, 'succeeded'],
    [failed, 'failed'],
    [cancelled, 'cancelled'],
  ].flatMap(([n, name]) => (n === 0 ? [] : [`${n} ${name}`]))
  if (parts.length === 0) return 'no jobs yet'
  return is_more ? `${parts.join(', ')}, and more` : parts.join(', ')
}
