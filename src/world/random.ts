/** Dice: a number in [0, 1). Never for secrets. */
export interface Random {
  next(): number
}

export const systemRandom: Random = { next: () => Math.random() }
