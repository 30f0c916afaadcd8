// Texts of the server have times in them as records have them; a reader wants them in their own way.

export type Told = { readonly text: string } | { readonly at: string }

const ISO = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

/** A text, its times taken apart from the words around them. */
export function toldTimes(text: string): readonly Told[] {
  const parts: Told[] = []
  let from = 0
  for (const { 0: at, index } of text.matchAll(ISO)) {
    if (index > from) parts.push({ text: text.slice(from, index) })
    parts.push({ at })
    from = index + at.length
  }
  if (from < text.length) parts.push({ text: text.slice(from) })
  return parts
}
