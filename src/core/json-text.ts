import type { Json } from './json.ts'

// Writing an object as JSON is several times faster before it is frozen than after. So whoever makes a frozen copy of
// what is going to be stored may have it written first; whoever writes it later finds the text here. Mostly nothing comes
// between, since a request is checked, decided on and written in one go; requests of a batch are checked first, all of them.
let last: object | null = null
let lastText = ''

/** Those before the last one that nobody has written yet. */
const earlier = new Map<object, string>()
let earlierChars = 0

const MOST_EARLIER = 1000
const MOST_EARLIER_CHARS = 1024 * 1024

/** What `JSON.stringify` says, remembered until it is asked for. The object must not change any more but for being frozen. */
export function rememberJson(value: object): void {
  if (last !== null) keepLast(last)
  lastText = JSON.stringify(value)
  last = value
}

export function jsonText(value: Json | object): string {
  if (value === last) {
    last = null
    return lastText
  }
  if (earlier.size === 0) return JSON.stringify(value)
  const text = earlier.get(value as object)
  if (text === undefined) return JSON.stringify(value)
  earlier.delete(value as object)
  earlierChars -= text.length
  return text
}

/** Nobody may ever ask for them: then they make room for others. */
function keepLast(value: object): void {
  earlierChars += lastText.length
  if (earlier.size >= MOST_EARLIER || earlierChars > MOST_EARLIER_CHARS) {
    earlier.clear()
    earlierChars = lastText.length
  }
  earlier.set(value, lastText)
}
