// A thousand texts that would do something if they were taken for more than text: in ids, messages, payloads, names and what a
// tool printed. Every screen shows them as they are, and nothing else happens.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { idProblem } from '../../src/core/names.ts'
import { collect } from './collect.ts'
import {
  type Accepted,
  ALL_IN_ONE,
  ALL_METADATA,
  ALL_PAYLOAD,
  PRINTED,
  PRINTER,
  setTheTrap,
  VICTIM,
} from './hostile-scene.ts'
import { HOSTILE_TEXTS, PLAIN_PARTS } from './hostile-texts.ts'
import { type PageLedger, pageLedger } from './page-ledger.ts'
import { settled } from './settled.ts'

let here: PageLedger
let accepted: Accepted
/** The same all the way: what one text does to it would be seen with the next. */
let page: Page

beforeAll(async () => {
  here = await pageLedger()
  accepted = await setTheTrap(here.ledger, here.folder)
  page = await here.open()
})
afterAll(async () => {
  try {
    await here.closePages()
  } finally {
    await here[Symbol.asyncDispose]()
  }
})

/** What is in the document that only a text could have put there. */
function planted(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const own = (url: string) => new URL(url, location.href).origin === location.origin
    const elements = [...document.querySelectorAll('*')]
    return [
      ...('__pwned' in globalThis ? ['it ran'] : []),
      ...elements
        .filter(({ attributes }) => [...attributes].some(({ name }) => name.startsWith('on')))
        .map(({ outerHTML }) => outerHTML),
      ...[
        ...document.querySelectorAll(
          'iframe, object, embed, base, math, marquee, video, form[action], template',
        ),
      ].map(({ outerHTML }) => outerHTML),
      ...[...document.querySelectorAll<HTMLAnchorElement>('a[href]')]
        .map(({ href }) => href)
        .filter((href) => !own(href)),
      ...[...document.querySelectorAll<HTMLScriptElement | HTMLImageElement>('script, img')]
        .map(({ src }) => src)
        .filter((src) => src === '' || !own(src)),
    ]
  })
}

async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(here.url + path)
  await settled(page)
}

async function expectHarmless(page: Page, path: string): Promise<void> {
  expect(await planted(page), path).toEqual([])
  expect(page.url(), path).toMatch(here.url)
  expect(await page.locator('[data-notice="problem"]').count(), path).toBe(0)
}

/** As a terminal would show it, but for the colours. */
function withoutControls(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
      .replace(/\u001b\][^\u0007]*\u0007|\u001b\[[\d;]*[A-Za-z]/g, '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
      .replace(/[\u0000-\u0008\u000e-\u001f\u007f]/g, '')
  )
}

const sorted = (texts: readonly string[]) => [...texts].sort()

it('there are a thousand of them, and only those are refused that no id may be', () => {
  expect(HOSTILE_TEXTS.length).toBe(1000)
  expect(sorted(accepted.refused)).toEqual(sorted(HOSTILE_TEXTS.filter((text) => idProblem(text) !== null)))
  expect(accepted.jobs.length).toBeGreaterThan(900)
  expect(accepted.documents).toEqual(accepted.jobs)
})

it('whatever one of them had planted would be found', async () => {
  await goTo(page, '/settings')
  await page.evaluate(() => {
    const link = document.createElement('a')
    link.href = 'javascript:1'
    document.body.append(link, document.createElement('marquee'))
    Object.assign(globalThis, { __pwned: 1 })
  })
  expect(await planted(page)).toEqual(['it ran', '<marquee></marquee>', 'javascript:1'])
})

it('lists of jobs and documents have each of them, with its error', async () => {
  await goTo(page, `/jobs?tenant=${VICTIM}`)
  const jobs = await collect(page, {
    scroller: '[role="table"][aria-label="Jobs"]',
    item: '[role="row"] [role="cell"]:first-child a',
    atLeast: accepted.jobs.length + 1,
  })
  expect(sorted(jobs)).toEqual(sorted([...accepted.jobs, ALL_IN_ONE]))
  await expectHarmless(page, '/jobs')
  await goTo(page, `/documents?tenant=${VICTIM}`)
  const errors = await collect(page, {
    scroller: '[role="table"][aria-label="Documents"]',
    item: '[role="row"] [role="cell"]:last-child',
    atLeast: accepted.documents.length,
  })
  expect(sorted(errors)).toEqual(sorted(accepted.messages.map((text) => `Error: ${text}`)))
  await expectHarmless(page, '/documents')
})

it('the log tells each of them, and exports them as text', async () => {
  const path = `/logs?tenant=${VICTIM}&f=${encodeURIComponent('kind:document state:failed')}`
  await goTo(page, path)
  const actors = await collect(page, {
    scroller: '[aria-label="Entries"]',
    item: '[data-seq] [role="cell"]:nth-child(6)',
    atLeast: accepted.documents.length,
    direction: 'up',
  })
  expect(sorted(actors)).toEqual(sorted(accepted.documents))
  await page
    .getByRole('button', { name: /^The whole entry/ })
    .first()
    .click()
  await page.getByLabel('The whole entry', { exact: true }).waitFor()
  await expectHarmless(page, path)

  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export Markdown' }).click()
  let text = ''
  for await (const chunk of await (await saving).createReadStream()) text += chunk
  const lines = text.split('\n')
  // A head, what separates it, and nothing after the last.
  expect(lines.length).toBe(accepted.documents.length + 3)
  const cells = lines.slice(0, -1).map((line) => line.replaceAll(/\\./gs, '').split('|').length)
  expect([...new Set(cells)]).toEqual([13])
  expect(text.replaceAll(/\\./gs, '')).not.toMatch(/[<>`[\]*]/)
})

it('payload, metadata and what a tool printed are as they were', async () => {
  await goTo(page, `/jobs/${VICTIM}/${ALL_IN_ONE}?tab=payload`)
  const shown = (label: string) => page.locator(`pre[aria-label="${label}"]`).textContent()
  expect(await shown('payload')).toBe(JSON.stringify(ALL_PAYLOAD, null, 2))
  expect(JSON.parse((await shown('metadata')) ?? '')).toEqual(ALL_METADATA)
  await expectHarmless(page, 'payload')

  await goTo(page, `/jobs/default/${PRINTER}?tab=logs`)
  const printed = [...new Set(PRINTED.map(withoutControls))]
  // Before and after what was printed, the log says what was run and how it ended.
  const lines = await collect(page, {
    scroller: '[role="region"][aria-label="Log"]',
    item: 'code',
    atLeast: printed.length + 2,
  })
  expect(sorted(lines.filter((line) => !/^--- \d{4}-/.test(line)))).toEqual(sorted(printed))
  await expectHarmless(page, 'log')
})

it('every other screen shows them', async () => {
  const paths = [
    ['/', []],
    ['/radar?tab=workstreams', []],
    ['/runs', accepted.runs.slice(-5)],
    ['/workstreams', accepted.workstreams.slice(-5)],
    ['/queues', accepted.queues],
    ['/settings', accepted.names],
    [`/jobs?tenant=${VICTIM}&state=FAILED_FINAL`, []],
  ] as const
  for (const [path, texts] of paths) {
    await goTo(page, path)
    const all = (await page.locator('#content').textContent()) ?? ''
    expect(
      texts.filter((text) => !all.includes(text)),
      path,
    ).toEqual([])
    await expectHarmless(page, path)
  }
  const tenants = page.getByRole('combobox', { name: 'Tenant' }).locator('option')
  expect(await tenants.allTextContents()).toEqual(expect.arrayContaining([...accepted.tenants]))
})

/** As ids: those that mean something in an address, and some of each other kind. */
const LINKED = PLAIN_PARTS.filter(
  (text, i) => idProblem(text) === null && (/^[./%$*:]/.test(text) || i % 50 === 0),
)

it('an address leads to each of them', async () => {
  for (const id of LINKED) {
    await goTo(page, `/jobs/${VICTIM}/${encodeURIComponent(id)}`)
    expect(await page.locator('h1 > span').first().textContent()).toBe(id)
    await page.locator('h1 [data-state]').waitFor()
    expect(await page.title()).toContain('Job')
    await expectHarmless(page, id)
  }
})

it('the search leads to each of them', async () => {
  await goTo(page, `/jobs?tenant=${VICTIM}`)
  const search = page.getByRole('combobox', { name: /Search/ })
  for (const id of LINKED) {
    await search.fill(id)
    // What is exactly called so comes first.
    await page.waitForFunction(
      (text) => document.querySelector('[role="option"]')?.textContent?.startsWith(`job${text}`),
      id,
    )
    await expectHarmless(page, id)
    await search.press('Enter')
    await page.waitForFunction(
      (text) =>
        document.querySelector('h1 > span')?.textContent === text &&
        document.querySelector('h1 [data-state]') !== null,
      id,
    )
    await expectHarmless(page, id)
  }
})

it('a text that turns direction turns nothing but itself', async () => {
  const id = '\u202egpj.exe'
  expect(accepted.documents).toContain(id)
  expect(accepted.runs).toContain(id)
  for (const path of ['jobs', 'documents', 'runs', 'workstreams']) {
    await goTo(page, `/${path}/${VICTIM}/${encodeURIComponent(id)}`)
    const pill = await page.locator('h1 [data-state]').boundingBox()
    const copy = await page.locator('h1').getByRole('button').boundingBox()
    const heading = await page.locator('h1').boundingBox()
    // What it is called, then the button that copies it, then how it is: from left to right.
    expect(copy?.x, path).toBeGreaterThan((heading?.x ?? 0) + 20)
    expect(pill?.x, path).toBeGreaterThan(copy?.x ?? 0)
  }
})

it('filters are text as well', async () => {
  for (const text of [
    'constructor:x',
    '__proto__:x',
    '"<img src=x onerror=window.__pwned=1>"',
    'toString:"',
  ]) {
    await goTo(page, `/logs?f=${encodeURIComponent(text)}`)
    await expectHarmless(page, text)
    expect(await page.getByRole('search').textContent()).not.toContain('[native code]')
  }
})
