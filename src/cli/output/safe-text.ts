// Names and messages in a ledger come from anywhere. A terminal obeys what it is sent: a name could move its cursor,
// change its title or turn text round. So nothing of the kind gets there; it is shown instead.

/** Control characters of both kinds, marks that change the direction of text, line breaks of other kinds, half pairs. */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const CONTROL_PICTURES = 0x2400
const DELETE = 0x7f
const PICTURE_OF_DELETE = '␡'

/** Text for people: `␛` for an escape character, `\u{202e}` for what has no picture. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.charCodeAt(0)
    if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code)
    return code === DELETE ? PICTURE_OF_DELETE : `\\u{${code.toString(16)}}`
  })
}

/** JSON says the same with these characters escaped, and a terminal stays as it is. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
