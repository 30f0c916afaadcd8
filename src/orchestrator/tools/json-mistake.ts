// Where a text stops being JSON. The engine's own messages name a place for some mistakes only, and it takes the last of
// two fields of one name without a word; a job with two commands has to be refused.

export interface JsonMistake {
  readonly line: number
  readonly column: number
  readonly message: string
}

const SPACE = /[ \t\n\r]*/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has none of them in its strings.
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)/y

/** The first one; null when there is none. Not by recursion: the text may be nested as deep as it is long. */
export function jsonMistakeIn(text: string): JsonMistake | null {
  const scan = new Scan(text)
  const message = scan.run()
  if (message === null) return null
  const before = text.slice(0, scan.at)
  return {
    line: before.split('\n').length,
    column: scan.at - before.lastIndexOf('\n'),
    message: scan.at >= text.length ? 'ends too early' : message,
  }
}

/** Names of the objects that are open; null for a list. */
type Open = Set<string> | null

class Scan {
  at = 0
  readonly #text: string
  readonly #open: Open[] = []

  constructor(text: string) {
    this.#text = text
  }

  run(): string | null {
    let problem = this.#value()
    while (problem === null && this.#open.length > 0) problem = this.#more()
    this.#take(SPACE)
    return problem ?? (this.at < this.#text.length ? 'has something after its end' : null)
  }

  /** A scalar, or the beginning of an object or list, up to where its first value was read or it was closed. */
  #value(): string | null {
    for (;;) {
      this.#take(SPACE)
      const char = this.#text[this.at]
      if (char !== '{' && char !== '[') {
        return this.#take(STRING) !== '' || this.#take(SCALAR) !== '' ? null : this.#notAValue()
      }
      this.at++
      this.#open.push(char === '{' ? new Set() : null)
      if (this.#closes()) return null
      const problem = char === '{' ? this.#name() : null
      if (problem !== null) return problem
    }
  }

  /** What follows a value inside an object or list. */
  #more(): string | null {
    if (this.#closes()) return null
    if (this.#text[this.at] !== ',') return 'has no comma or closing bracket where one must be'
    this.at++
    return (this.#open.at(-1) === null ? null : this.#name()) ?? this.#value()
  }

  #closes(): boolean {
    this.#take(SPACE)
    if (this.#text[this.at] !== (this.#open.at(-1) === null ? ']' : '}')) return false
    this.at++
    this.#open.pop()
    return true
  }

  #name(): string | null {
    this.#take(SPACE)
    const start = this.at
    const quoted = this.#take(STRING)
    if (quoted === '') return 'has no name in quotes where one must be'
    const name = JSON.parse(quoted) as string
    const names = this.#open.at(-1)
    if (names?.has(name)) {
      this.at = start
      return `has the field ${quoted.slice(0, 100)} twice`
    }
    names?.add(name)
    this.#take(SPACE)
    if (this.#text[this.at] !== ':') return 'has no colon after a name'
    this.at++
    return null
  }

  #notAValue(): string {
    return this.#text[this.at] === '"'
      ? 'has a string that is not closed or not well-formed'
      : 'has no value where one must be'
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.at += found.length
    return found
  }
}
