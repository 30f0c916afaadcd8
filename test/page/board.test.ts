// The board of workstreams: cards are moved by hand, with the pointer, with a menu and with keys, as far as the rules allow.
import { expect, it } from 'vitest'
import { TENANT } from './scene.ts'
import { eventually, goTo, sayYes, scenePage, told } from './scene-page.ts'

const on = scenePage()

const BOARD = `/workstreams?tenant=${TENANT}`
const by = { tenant_id: TENANT, actor: 'maria' }

const lane = (name: string) => on.page.getByRole('region', { name, exact: true })
const card = (id: string) => on.page.getByRole('listitem', { name: id, exact: true })
const inLane = (name: string, id: string) => lane(name).getByRole('listitem', { name: id, exact: true })
const stateOf = async (id: string) => (await on.ledger.workstreams.get(id, TENANT))?.state

async function make(id: string): Promise<void> {
  await on.ledger.workstreams.create({ workstream_id: id, run_id: 'run-1' }, by)
  await on.ledger.workstreams.update(id, 'ready', by)
}

it('A71 workstreams are in the lanes where they stand', async () => {
  await on.go(BOARD)
  await inLane('Waiting', 'ws-waiting').waitFor()
  await inLane('Running', 'ws-running').waitFor()
  await inLane('Fixing', 'ws-fixing').waitFor()
  await inLane('Quarantine', 'ws-failed').waitFor()
  await inLane('Completed', 'ws-done').waitFor()
})

it('A71 a card that is dragged to a lane moves the workstream', async () => {
  await make('ws-dragged')
  await on.go(BOARD)
  await card('ws-dragged').dragTo(lane('Running'))
  await sayYes(on.page, { asked: 'Move ws-dragged to Running?', press: 'Move to Running', reason: 'go on' })
  await inLane('Running', 'ws-dragged').waitFor()
  await told(on.page, 'ws-dragged is running now')
  expect(await stateOf('ws-dragged')).toBe('running')
  const { items } = await on.ledger.audit.query({ tenant_id: TENANT, kind: 'workstream', direction: 'desc' })
  expect(items.find(({ id }) => id === 'ws-dragged')).toMatchObject({ actor: 'ann', reason: 'go on' })
})

it('A71 a card that is dropped where it may not go stays, and says why', async () => {
  await make('ws-staying')
  await on.go(BOARD)
  await card('ws-staying').dragTo(lane('Quarantine'))
  await told(on.page, /^ws-staying cannot be moved to Quarantine\. .*ready/)
  await card('ws-staying').dragTo(lane('Fixing'))
  await told(on.page, /^ws-staying cannot be moved to Fixing\. Its jobs say so/)
  expect(await on.page.getByRole('dialog').count()).toBe(0)
  expect(await stateOf('ws-staying')).toBe('ready')
})

it('A71 the menu of a card moves it, and says why where it cannot go', async () => {
  await make('ws-menu')
  await on.go(BOARD)
  await on.page.getByRole('button', { name: 'Move to … ws-menu' }).click()
  const menu = on.page.getByRole('menu', { name: 'Move ws-menu to' })
  const refused = menu.getByRole('menuitem', { name: /^Quarantine/ })
  expect(await refused.getAttribute('aria-disabled')).toBe('true')
  expect(await refused.textContent()).toMatch(/ready/)
  await refused.dispatchEvent('click')
  expect(await on.page.getByRole('dialog').count()).toBe(0)
  await menu.getByRole('menuitem', { name: /^Completed/ }).click()
  await sayYes(on.page, { asked: 'Move ws-menu to Completed?', press: 'Move to Completed' })
  await inLane('Completed', 'ws-menu').waitFor()
  expect(await stateOf('ws-menu')).toBe('skipped')
})

it('A71 keys alone move a card', async () => {
  const { page } = on
  await make('ws-keys')
  await on.go(BOARD)
  const opener = page.getByRole('button', { name: 'Move to … ws-keys' })
  await opener.focus()
  await page.keyboard.press('Enter')
  const running = page
    .getByRole('menu', { name: 'Move ws-keys to' })
    .getByRole('menuitem', { name: /^Running/ })
  await running.waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Home')
  await eventually(() => running.evaluate((item) => item === document.activeElement)).toBe(true)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Move ws-keys to Running?' }).waitFor()
  await page.keyboard.type('with keys')
  await page.keyboard.press('Enter')
  await inLane('Running', 'ws-keys').waitFor()
  expect(await stateOf('ws-keys')).toBe('running')
})

it('A71 a workstream that somebody else changed meanwhile is left as it is, and that is said', async () => {
  await make('ws-stale')
  // The browser tells of every answer that is no success.
  const page = await on.world.open({ mayComplain: /412/ })
  await goTo(page, on.world.url + BOARD)
  await page.getByRole('button', { name: 'Move to … ws-stale' }).click()
  await page
    .getByRole('menu', { name: 'Move ws-stale to' })
    .getByRole('menuitem', { name: /^Completed/ })
    .click()
  await on.ledger.workstreams.update('ws-stale', 'running', by)
  await sayYes(page, { asked: 'Move ws-stale to Completed?', press: 'Move to Completed' })
  await told(page, /^ws-stale has changed since you looked, and was left as it is/)
  await page
    .getByRole('region', { name: 'Running', exact: true })
    .getByRole('listitem', { name: 'ws-stale' })
    .waitFor()
  expect(await stateOf('ws-stale')).toBe('running')
})
