// What the documentation points at exists, and says what it is cited for.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { page, pages } from './pages.ts'
import { ROOT } from './scratch.ts'

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g

/** As code hosts make an anchor of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s/g, '-')
}

function anchorsOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
}

describe.each(pages)('$path', ({ path, text }) => {
  it('has no dead links', () => {
    const dead = [...text.matchAll(LINK)]
      .map(([, target = '']) => target)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => {
        const [file = '', anchor] = target.split('#')
        const linked = file === '' ? path : join(dirname(path), file)
        if (!existsSync(join(ROOT, linked))) return true
        return anchor !== undefined && !anchorsOf(readFileSync(join(ROOT, linked), 'utf8')).includes(anchor)
      })
    expect(dead).toEqual([])
  })
})

describe('the guarantees in the README', () => {
  const section = page('README.md').split('## What is guaranteed')[1]?.split('\n## ')[0] ?? ''
  const rows = section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (?:Guarantee|---)/.test(line))
  const citations = rows.flatMap((row) =>
    [...row.matchAll(/(A\d+) in \[[^\]]*\]\(([^)]+)\)/g)].map(([, number = '', file = '']) => ({
      number,
      file,
    })),
  )

  it('each name a test', () => {
    expect(rows.length).toBeGreaterThanOrEqual(8)
    for (const row of rows) expect(row).toMatch(/\]\((?:src|test)\/[^)]*\.ts\)/)
  })

  it.each(citations)('$number is what $file is about', ({ number, file }) => {
    expect(readFileSync(join(ROOT, file), 'utf8')).toMatch(new RegExp(`\\b${number}\\b`))
  })

  it('cite scenarios that exist', () => {
    const known = new Set(page('docs/acceptance.md').match(/(?<=^- \*\*)A\d+/gm))
    for (const { number } of citations) expect(known).toContain(number)
  })
})
