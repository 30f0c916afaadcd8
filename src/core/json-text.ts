import type { Json } from './json.ts'

// Writing an object as JSON is several times faster before it is frozen than after. So whoever makes a frozen copy of
// what is going to be stored may have it written first; whoever writes it later finds the text here if nothing else came
// between, as it mostly does not: a request is checked, decided on and written in one go.
let last: object | null = null
let lastText = ''

/** What `JSON.stringify` says, remembered until the next call. The object must not change any more but for being frozen. */
export function rememberJson(value: object): void {
  lastText = JSON.stringify(value)
  last = value
}

export function jsonText(value: Json | object): string {
  return value === last ? lastText : JSON.stringify(value)
}
