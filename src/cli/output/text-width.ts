import { createRequire } from 'node:module'

type StringWidth = typeof import('string-width').default

const CUT = '…'

/** Text in which every character takes one column: nearly all there is. */
const PLAIN = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u024f–—…→]*$/

let stringWidth: StringWidth | undefined
let segmenter: Intl.Segmenter | undefined

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  // Loaded at the first character that may be wide or joined: it takes longer to load than everything else here.
  stringWidth ??= createRequire(import.meta.url)('string-width').default as StringWidth
  return stringWidth(text)
}

/** Cut to so many columns, between what a reader takes for characters; `…` says that there was more. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  if (width < 1) return ''
  if (PLAIN.test(text)) return text.slice(0, width - 1) + CUT
  segmenter ??= new Intl.Segmenter()
  let kept = ''
  let used = 0
  for (const { segment } of segmenter.segment(text)) {
    used += widthOf(segment)
    if (used > width - 1) break
    kept += segment
  }
  return kept + CUT
}

export function padTo(text: string, width: number, align: 'left' | 'right'): string {
  const missing = ' '.repeat(Math.max(0, width - widthOf(text)))
  return align === 'left' ? text + missing : missing + text
}
