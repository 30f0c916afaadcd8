import { safeText } from './safe-text.ts'
import type { Style, TextStream } from './text-stream.ts'

/** A label, what it is, and something to add in a quieter voice; those without a value are left out. */
export type Field = readonly [
  label: string,
  value: string | null,
  aside?: string | undefined,
  style?: Style | undefined,
]

/** A list of labels and values, one a line. Nothing is cut: this is the place where everything is to be seen. */
export function fieldLines(out: TextStream, fields: readonly Field[]): string {
  const told = fields.filter(([, value]) => value !== null)
  const width = Math.max(...told.map(([label]) => label.length)) + 2
  return told
    .map(([label, value, aside, style]) => {
      const quiet = aside === undefined ? '' : `  ${out.paint('dim', safeText(aside))}`
      return `  ${out.paint('dim', label.padEnd(width))}${out.paint(style, safeText(value ?? ''))}${quiet}\n`
    })
    .join('')
}
