import { widthOf } from './text-width.ts'

/** Broken between words into lines of at most so many columns; a word that is wider than that stays whole. */
export function wrapTo(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line === '' || widthOf(longer) <= width) {
      line = longer
      continue
    }
    lines.push(line)
    line = word
  }
  return [...lines, line]
}
