/** Something happened that must never happen. */
export class LawBroken extends Error {
  override readonly name = 'LawBroken'
}

export function law(holds: boolean, text: () => string): asserts holds {
  if (!holds) throw new LawBroken(text())
}
