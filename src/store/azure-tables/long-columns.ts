// Text is kept in columns of at most 32,000 characters: what is longer goes on in `name_2`, `name_3` and so on. A row may
// have 1 MiB in all, counted as the service does, with two bytes for each character.
import { RecordTooLarge } from '../../errors/size-errors.ts'
import { rowBytes } from './row-size.ts'
import { type Columns, MOST_BYTES_IN_ROW, MOST_CHARS_IN_VALUE, type Value } from './service.ts'

const PART = /^(.+)_(\d+)$/

/** Columns as they fit; refused when they do not. */
export function fitted(
  what: string,
  key: { readonly pk: string; readonly rk: string },
  columns: Columns,
): Columns {
  const fits: { [name: string]: Value } = {}
  for (const [name, value] of Object.entries(columns)) {
    if (typeof value !== 'string' || value.length <= MOST_CHARS_IN_VALUE) fits[name] = value
    else for (const [n, part] of partsOf(value).entries()) fits[n === 0 ? name : `${name}_${n + 1}`] = part
  }
  const bytes = rowBytes(key.pk, key.rk, fits)
  if (bytes > MOST_BYTES_IN_ROW) throw new RecordTooLarge(what, bytes, MOST_BYTES_IN_ROW)
  return fits
}

/** Columns as they were before they were made to fit. */
export function whole(columns: Columns): Columns {
  let joined: { [name: string]: Value } | null = null
  for (const name of Object.keys(columns)) {
    const [, first, n] = PART.exec(name) ?? []
    if (first === undefined || n !== '2' || typeof columns[first] !== 'string') continue
    joined ??= { ...columns }
    let text = columns[first]
    for (let part = 2; ; part++) {
      const more = columns[`${first}_${part}`]
      if (typeof more !== 'string') break
      text += more
      delete joined[`${first}_${part}`]
    }
    joined[first] = text
  }
  return joined ?? columns
}

/** A pair that makes up one character is not taken apart: neither half could be sent. */
function partsOf(text: string): readonly string[] {
  const parts: string[] = []
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + MOST_CHARS_IN_VALUE, text.length)
    if (to < text.length && isFirstHalf(text.charCodeAt(to - 1))) to--
    parts.push(text.slice(from, to))
    from = to
  }
  return parts
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00
}
