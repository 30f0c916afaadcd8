// Everything by keys: going places, finding things, and not being lost afterwards.
import { expect, it } from 'vitest'
import { pdf, TENANT } from './scene.ts'
import { arrived, eventually, sayYes, scenePage } from './scene-page.ts'

const on = scenePage()

const press = async (...keys: readonly string[]) => {
  for (const key of keys) await on.page.keyboard.press(key)
}
/** What has the focus, by its name. */
const focused = () =>
  on.page.evaluate(() => {
    const { activeElement: it } = document
    return it?.getAttribute('aria-label') || it?.id || it?.textContent || ''
  })

it('A71 a question mark lists the keys that there are here', async () => {
  const { page } = on
  await on.go('/jobs')
  await press('?')
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  const lines = (await dialog.locator('dl > div').allTextContents()).toSorted()
  for (const line of ['gjGo to Jobs', 'glGo to Logs', '/Search', '?These shortcuts', 'jNext row']) {
    expect(lines).toContain(line)
  }
  await press('Escape')
  await dialog.waitFor({ state: 'detached' })
})

it('A71 two keys lead to each screen', async () => {
  const { page } = on
  await on.go('/')
  for (const [keys, title] of [
    ['gp', 'Pipeline Radar'],
    ['gj', 'Jobs'],
    ['go', 'Documents'],
    ['gl', 'Logs'],
    ['gw', 'Workstreams'],
    ['gr', 'Runs'],
    ['gq', 'Queues'],
    ['gs', 'Settings'],
    ['gd', 'Dashboard'],
  ] as const) {
    await press(...keys)
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await eventually(() => page.title()).toBe(`${title} · Waybill`)
  }
})

it('A71 a slash finds a record by a part of its id, and Enter opens it', async () => {
  const { page, scene } = on
  await on.go('/')
  await press('/')
  await page.keyboard.type('est-retr')
  await page.getByRole('option', { name: scene.retrying }).first().waitFor()
  await press('ArrowDown', 'ArrowUp', 'Enter')
  await arrived(page, `/jobs/${TENANT}/${scene.retrying}`)
})

it('A71 what is not found is said, and keys that are typed are not shortcuts', async () => {
  const { page } = on
  await on.go('/jobs')
  await press('/')
  await page.keyboard.type('gj?')
  await page.getByText('Nothing has “gj?” in its id').waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  await press('Escape')
  await page.getByRole('listbox', { name: 'Found' }).waitFor({ state: 'hidden' })
})

it('A71 the first stop of the Tab key leads past what every screen has', async () => {
  const { page } = on
  await on.go('/queues')
  await press('Tab')
  expect(await focused()).toBe('Skip to content')
  await page.getByRole('link', { name: 'Skip to content' }).and(page.locator(':focus-visible')).waitFor()
  await press('Enter')
  await eventually(focused).toBe('content')
})

it('A71 what has the focus is seen', async () => {
  const { page } = on
  await on.go('/settings')
  const unseen: string[] = []
  for (let i = 0; i < 30; i++) {
    await press('Tab')
    const problem = await page.evaluate(() => {
      const { activeElement: it } = document
      if (it === null || it === document.body) return null
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(it)
      const isSeen = (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none'
      return isSeen ? null : it.outerHTML.slice(0, 200)
    })
    if (problem !== null) unseen.push(problem)
  }
  expect(unseen).toEqual([])
})

it('A71 after a question the focus is where it was', async () => {
  const { page } = on
  await on.ledger.jobs.submit(pdf, { tenant_id: TENANT, job_id: 'asked-about', payload: { of: 'keys' } })
  await on.go(`/jobs/${TENANT}/asked-about`)
  const cancel = page.getByRole('button', { name: 'Cancel…' }).and(page.locator(':not([aria-disabled])'))
  await cancel.focus()
  await press('Enter')
  await page.getByRole('dialog').waitFor()
  await press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await focused()).toBe('Cancel…')
  await press('Enter')
  await sayYes(page, { asked: 'Cancel job asked-about?', press: 'Cancel the job' })
  expect(await focused()).toBe('Cancel…')
})

it('A71 Enter answers a question with several fields, too', async () => {
  const { page } = on
  await on.ledger.jobs.submit(pdf, { tenant_id: TENANT, job_id: 'annotated', payload: { of: 'notes' } })
  await on.go(`/jobs/${TENANT}/annotated`)
  await page.getByRole('button', { name: 'Annotate…' }).click()
  await page.getByLabel('Name').fill('colour')
  await page.getByLabel('Value, text or JSON').fill('blue')
  await page.getByLabel('Reason, kept in the history').focus()
  await press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await eventually(async () => (await on.ledger.jobs.get('annotated', TENANT))?.metadata).toMatchObject({
    colour: 'blue',
  })
})

it('A71 after the limits of a queue the focus is where it was', async () => {
  const { page } = on
  await on.go('/queues')
  await page.getByRole('button', { name: 'Limits of pdf/parse' }).focus()
  await press('Enter')
  await page.getByRole('dialog').waitFor()
  await press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await focused()).toBe('Limits of pdf/parse')
})

it('A71 arrow keys go from tab to tab', async () => {
  const { page, scene } = on
  await on.go(`/jobs/${TENANT}/${scene.done}`)
  await page.getByRole('tab', { name: 'Overview' }).focus()
  await press('ArrowRight')
  await page.getByRole('tab', { name: 'Events', selected: true }).waitFor()
  await eventually(focused).toBe('tab-tab-events')
  await press('ArrowLeft', 'ArrowLeft')
  await page.getByRole('tab', { name: 'Audit', selected: true }).waitFor()
})
