// A change is on the screen within a second of being durable, wherever it is to be seen.
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type PageLedger, pageLedger } from './page-ledger.ts'
import { pdf, setTheScene, TENANT } from './scene.ts'
import { settled } from './settled.ts'

/** From when a change cannot be lost any more until it is on the screen. */
const WITHIN_MS = 1000
/** Before it is given up: how late something was is worth knowing. */
const PATIENCE_MS = 8000
/** News come while others are still being taken in. */
const ROUNDS = 2

let here: PageLedger

beforeAll(async () => {
  here = await pageLedger()
  await setTheScene(here.ledger, here.folder)
})
afterEach(() => here.closePages())
afterAll(() => here[Symbol.asyncDispose]())

async function openLive(at: string): Promise<Page> {
  const page = await here.open({ at })
  await settled(page)
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  return page
}

interface Seen {
  readonly selector: string
  readonly words: readonly string[]
}

/** Looks out for when something that matches first has all of these words; never is Infinity. */
function lookOut(page: Page, seen: Seen) {
  return page.evaluateHandle(
    ({ selector, words, patienceMs }) => {
      const isThere = () =>
        [...document.querySelectorAll(selector)].some(({ textContent }) =>
          words.every((word) => textContent?.includes(word)),
        )
      const at = new Promise<number>((resolve) => {
        const observer = new MutationObserver(() => {
          if (isThere()) resolve(Date.now())
        })
        observer.observe(document.body, { subtree: true, childList: true, characterData: true })
        setTimeout(() => resolve(Number.POSITIVE_INFINITY), patienceMs)
      })
      return { at, wasThere: isThere() }
    },
    { ...seen, patienceMs: PATIENCE_MS },
  )
}

/** How long a change takes to be seen. The page and the ledger go by one clock. */
async function takes(page: Page, seen: Seen, change: () => Promise<unknown>): Promise<number> {
  const lookout = await lookOut(page, seen)
  expect(await lookout.evaluate(({ wasThere }) => wasThere)).toBe(false)
  await change()
  const durable = Date.now()
  return (await lookout.evaluate(({ at }) => at)) - durable
}

function submit(job_id: string, more: object = {}): Promise<unknown> {
  return here.ledger.jobs.submit(pdf, { tenant_id: TENANT, job_id, payload: { of: job_id }, ...more })
}

async function inEachRound(measure: (round: number) => Promise<number>): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) expect(await measure(round)).toBeLessThanOrEqual(WITHIN_MS)
}

it('a new job is a row of the list', async () => {
  const page = await openLive('/jobs')
  await inEachRound((round) => {
    const id = `listed-${round}`
    return takes(page, { selector: '[role="row"]', words: [id] }, () => submit(id))
  })
})

it('a new job is counted on the dashboard', async () => {
  const page = await openLive('/')
  const link = page.getByRole('region', { name: 'Jobs', exact: true }).getByRole('link', { name: /in all/ })
  await inEachRound(async (round) => {
    const before = Number.parseInt((await link.textContent()) ?? '', 10)
    const seen = { selector: 'section a', words: [`${before + 1} in all`] }
    return takes(page, seen, () => submit(`counted-${round}`))
  })
})

it('a workstream that gets its first job is a card of the board', async () => {
  const page = await openLive('/workstreams')
  await inEachRound((round) => {
    const workstream_id = `ws-live-${round}`
    const seen = { selector: '[data-lane] li', words: [workstream_id] }
    return takes(page, seen, () => submit(`carded-${round}`, { workstream_id }))
  })
})

it('a job that moves on does so on its own screen', async () => {
  for (let round = 0; round < ROUNDS; round++) await submit(`moved-${round}`)
  for (let round = 0; round < ROUNDS; round++) {
    const page = await openLive(`/jobs/${TENANT}/moved-${round}`)
    const ms = await takes(page, { selector: 'h1 [data-state]', words: ['CANCELLED'] }, () =>
      here.ledger.jobs.cancel(`moved-${round}`, { tenant_id: TENANT }),
    )
    expect(ms).toBeLessThanOrEqual(WITHIN_MS)
  }
})

it('whatever happens is told in the log', async () => {
  const page = await openLive('/logs')
  await inEachRound((round) => {
    const id = `logged-${round}`
    return takes(page, { selector: '[data-seq]', words: [id, 'fetching'] }, () =>
      here.ledger.documents.updateState(id, 'fetching', { tenant_id: TENANT }),
    )
  })
})
