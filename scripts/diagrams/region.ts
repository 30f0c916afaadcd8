// A part of a page that is made from the code, between two comments that readers of the page do not see.

export function replaceRegion(page: string, name: string, body: string): string {
  const begin = `<!-- generated: ${name} -->`
  const end = `<!-- end of generated: ${name} -->`
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from === -1 || to < from) throw new Error(`The page has no "${begin}" … "${end}"`)
  return `${page.slice(0, from + begin.length)}\n\n${body}\n\n${page.slice(to)}`
}
