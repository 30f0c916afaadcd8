// Examples in Markdown that are meant to be run: a block whose first line is ```ts runnable, and, if the next block is
// ```text output, what it prints.

export interface RunnableBlock {
  readonly line: number
  readonly code: string
  readonly output: string | null
}

interface Fence {
  readonly line: number
  readonly info: string
  readonly text: string
}

export function runnableBlocks(markdown: string): readonly RunnableBlock[] {
  const all = fences(markdown)
  return all.flatMap((fence, i) => {
    if (fence.info !== 'ts runnable') return []
    const next = all[i + 1]
    return { line: fence.line, code: fence.text, output: next?.info === 'text output' ? next.text : null }
  })
}

export function fences(markdown: string): readonly Fence[] {
  const found: Fence[] = []
  let open: { line: number; info: string; text: string } | undefined
  for (const [index, text] of markdown.split('\n').entries()) {
    const mark = /^```(.*)$/.exec(text)
    if (open === undefined && mark !== null) {
      open = { line: index + 1, info: (mark[1] ?? '').trim(), text: '' }
    } else if (open !== undefined && mark !== null) {
      found.push(open)
      open = undefined
    } else if (open !== undefined) {
      open.text += `${text}\n`
    }
  }
  if (open !== undefined) throw new Error(`The block that begins in line ${open.line} does not end`)
  return found
}
