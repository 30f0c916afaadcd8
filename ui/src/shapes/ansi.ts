// A line of a log as spans of text, each with what it looks like. Colours are names of the page's own, so that they can be read
// on either ground; a colour that is none of the usual ones becomes the nearest of them.
import Anser from 'anser'

const ANSI_COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const

type AnsiColour = (typeof ANSI_COLOURS)[number]

export interface Span {
  readonly text: string
  readonly fg: AnsiColour | null
  readonly bg: AnsiColour | null
  readonly isBold: boolean
  readonly isDim: boolean
  readonly isItalic: boolean
  readonly isUnderlined: boolean
  readonly isStruck: boolean
  /** It is what is searched for. */
  readonly isFound: boolean
}

const PLAIN: Omit<Span, 'text'> = {
  fg: null,
  bg: null,
  isBold: false,
  isDim: false,
  isItalic: false,
  isUnderlined: false,
  isStruck: false,
  isFound: false,
}

const ESC = '\u001b'

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CSI = /\u001b\[[!\x3c-\x3f]*[\d;:]*[\x20-\x2f]*[\x40-\x7e]/g
/** Titles, links and the like, then whatever else begins with Escape but for colours. */
const OTHER_ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /\u001b[\]P^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b(?!\[)[\x20-\x2f]*[\x30-\x7e]?/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f]/g

/** What a terminal would show in the end of a line that was written over. */
function lastWritten(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line
  return text.slice(text.lastIndexOf('\r') + 1)
}

/** The line without anything that is not text. */
export function plainText(line: string): string {
  const written = lastWritten(line)
  const bare = written.includes(ESC) ? written.replace(OTHER_ESCAPES, '').replace(CSI, '') : written
  return bare.replace(CONTROLS, '').replaceAll(ESC, '')
}

export function spansOf(line: string): readonly Span[] {
  const written = lastWritten(line)
  if (!written.includes(ESC)) {
    const text = plainText(written)
    return text === '' ? [] : [{ ...PLAIN, text }]
  }
  const bare = written.replace(OTHER_ESCAPES, '').replace(CONTROLS, '')
  const entries = Anser.ansiToJson(bare, { json: true, use_classes: true, remove_empty: true })
  return entries.map((entry) => {
    const has = (decoration: string) => (entry.decorations as readonly string[]).includes(decoration)
    return {
      text: entry.content.replaceAll(ESC, ''),
      fg: colourOf(entry.fg, entry.fg_truecolor),
      bg: colourOf(entry.bg, entry.bg_truecolor),
      isBold: has('bold'),
      isDim: has('dim'),
      isItalic: has('italic'),
      isUnderlined: has('underline'),
      isStruck: has('strikethrough'),
      isFound: false,
    }
  })
}

/** `ansi-bright-red`, `ansi-palette-208`, or a true colour. */
function colourOf(name: string | null, truecolor: string | null): AnsiColour | null {
  if (name === null) return null
  const usual = ANSI_COLOURS.find((colour) => name === `ansi-${colour}` || name === `ansi-bright-${colour}`)
  if (usual !== undefined) return usual
  const [, index] = /^ansi-palette-(\d+)$/.exec(name) ?? []
  if (index !== undefined) return nearest(paletteColour(Number(index)))
  const parts = (truecolor ?? '').split(',').map(Number)
  return parts.length === 3 ? nearest(parts as unknown as Rgb) : null
}

type Rgb = readonly [red: number, green: number, blue: number]

const CUBE = [0, 95, 135, 175, 215, 255]

/** From 16 on: a cube of colours, and then greys. */
function paletteColour(index: number): Rgb {
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10
    return [grey, grey, grey]
  }
  const at = index - 16
  const step = (n: number) => CUBE[n % 6] ?? 0
  return [step(Math.floor(at / 36)), step(Math.floor(at / 6)), step(at)]
}

const LEAST_COLOURFUL = 48
const HUES: readonly AnsiColour[] = ['red', 'yellow', 'green', 'cyan', 'blue', 'magenta']

function nearest([red, green, blue]: Rgb): AnsiColour {
  const most = Math.max(red, green, blue)
  const spread = most - Math.min(red, green, blue)
  if (spread < LEAST_COLOURFUL) return most < 128 ? 'black' : 'white'
  return HUES[Math.round(hueOf(red, green, blue, most, spread)) % 6] ?? 'white'
}

/** In sixths of the circle. */
function hueOf(red: number, green: number, blue: number, most: number, spread: number): number {
  if (most === red) return ((green - blue) / spread + 6) % 6
  if (most === green) return (blue - red) / spread + 2
  return (red - green) / spread + 4
}

/** The same with what is searched for in spans of its own; it may reach over several. */
export function found(spans: readonly Span[], text: string): readonly Span[] {
  if (text === '') return spans
  const ranges = rangesOf(spans.map((span) => span.text).join(''), text)
  if (ranges.length === 0) return spans
  const cut: Span[] = []
  let at = 0
  for (const span of spans) {
    const end = at + span.text.length
    let from = at
    for (const [start, stop] of ranges) {
      if (stop <= from || start >= end) continue
      if (start > from) cut.push({ ...span, text: span.text.slice(from - at, start - at) })
      const begin = Math.max(start, from)
      const until = Math.min(stop, end)
      cut.push({ ...span, text: span.text.slice(begin - at, until - at), isFound: true })
      from = until
    }
    if (from < end) cut.push({ ...span, text: span.text.slice(from - at) })
    at = end
  }
  return cut
}

function rangesOf(whole: string, text: string): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = []
  const low = whole.toLowerCase()
  const wanted = text.toLowerCase()
  // A letter whose small form is longer would shift what comes after it.
  if (low.length !== whole.length) return ranges
  for (let i = low.indexOf(wanted); i >= 0; i = low.indexOf(wanted, i + wanted.length)) {
    ranges.push([i, i + wanted.length])
  }
  return ranges
}
