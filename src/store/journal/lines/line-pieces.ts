import type { TextPiece } from '../../birth-marks.ts'

/** What comes before a place that is different from line to line, and which one that is; none after the last. */
export interface Piece<Slot> {
  readonly before: Uint8Array
  readonly slot: Slot | null
}

export function bytePieces<Slot>(pieces: readonly TextPiece<Slot>[]): readonly Piece<Slot>[] {
  return pieces.map(({ before, slot }) => ({ before: Uint8Array.from(Buffer.from(before)), slot }))
}
