import { InvalidInput } from '../../errors/input-errors.ts'

/** A whole number, from `least` on. */
export function wholeNumber(field: string, text: string, least: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(number) && number >= least) return number
  throw new InvalidInput(
    field,
    `--${field} ${JSON.stringify(text)} is not a whole number from ${least} on`,
    `Write --${field} ${Math.max(least, 10)}, say.`,
  )
}

/** A number of hours: 0 or more, with a fraction if need be. */
export function hours(text: string): number {
  const number = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (Number.isFinite(number)) return number
  throw new InvalidInput(
    'hours',
    `--hours ${JSON.stringify(text)} is not a number of hours`,
    'Write --hours 5, or --hours 0.5 for half an hour.',
  )
}
