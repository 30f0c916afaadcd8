import type { Page } from 'playwright-core'

interface Collected {
  /** What scrolls; only what is on the screen is in the document. */
  readonly scroller: string
  /** What is looked for in it. */
  readonly item: string
  /** It goes on until there are so many. */
  readonly atLeast: number
  readonly direction?: 'down' | 'up'
}

const PATIENCE_MS = 15_000

/** The different texts of a long list, which is scrolled from one end to the other. */
export function collect(page: Page, { direction = 'down', ...given }: Collected): Promise<readonly string[]> {
  return page.evaluate(
    async ({ scroller, item, atLeast, by, patienceMs }) => {
      const element = document.querySelector(scroller)
      if (element === null) throw new Error(`There is no ${scroller}`)
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      const found = new Set<string>()
      const until = performance.now() + patienceMs
      // What follows its end goes back there until it has noticed that somebody scrolled.
      while (by > 0 && performance.now() < until) {
        element.scrollTop = 0
        await frame()
        await frame()
        if (element.scrollTop === 0) break
      }
      while (performance.now() < until) {
        await frame()
        await frame()
        for (const { textContent } of element.querySelectorAll(item)) found.add(textContent ?? '')
        if (found.size >= atLeast) break
        element.scrollTop += by * element.clientHeight * 0.7
      }
      return [...found]
    },
    { ...given, by: direction === 'down' ? 1 : -1, patienceMs: PATIENCE_MS },
  )
}
