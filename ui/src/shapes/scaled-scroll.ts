// Where lines are in a list that may be higher than a browser allows an element to be. Up to a height nothing is special;
// above it, the way of the scroll bar stands for a longer way through the lines.

/** Engines differ in what they bear; the least is about twice this. */
export const HIGHEST_PX = 8_000_000

export interface Scrolled {
  readonly lines: number
  readonly lineHeight: number
  /** What is seen at once, in pixels. */
  readonly viewport: number
  readonly highest?: number
}

/** How high the element is. */
export function heightOf({ lines, lineHeight, highest = HIGHEST_PX }: Scrolled): number {
  return Math.min(lines * lineHeight, highest)
}

/** Pixels of lines for a pixel of the scroll bar. */
export function ratioOf(scrolled: Scrolled): number {
  const { lines, lineHeight, viewport } = scrolled
  const height = heightOf(scrolled)
  const full = lines * lineHeight
  return full === height || height <= viewport ? 1 : (full - viewport) / (height - viewport)
}

export interface Window {
  readonly first: number
  /** The line after the last. */
  readonly end: number
  /** Where the first one is, in the element. */
  readonly top: number
}

/** Which lines are seen, and some around them. */
export function windowAt(scrolled: Scrolled, scrollTop: number, around: number): Window {
  const { lines, lineHeight, viewport } = scrolled
  const through = Math.max(0, scrollTop) * ratioOf(scrolled)
  const seen = Math.floor(through / lineHeight)
  const first = Math.max(0, Math.min(seen, lines) - around)
  const end = Math.min(lines, Math.ceil((through + viewport) / lineHeight) + around)
  return { first, end, top: scrollTop - through + first * lineHeight }
}

/** Where to scroll to have this line at the top; lines may be broken. */
export function scrollTopOf(scrolled: Scrolled, line: number): number {
  const most = Math.max(0, heightOf(scrolled) - scrolled.viewport)
  return Math.max(0, Math.min(most, (line * scrolled.lineHeight) / ratioOf(scrolled)))
}

/** The line at the top, broken as far as it is scrolled by. */
export function lineAt(scrolled: Scrolled, scrollTop: number): number {
  return (scrollTop * ratioOf(scrolled)) / scrolled.lineHeight
}
