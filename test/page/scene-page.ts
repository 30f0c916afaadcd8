// One ledger with some of everything and one page of it, for all tests of a file: opening both takes longer than most tests do.
// Each test goes where it begins by itself.
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { type PageLedger, pageLedger } from './page-ledger.ts'
import { type Scene, setTheScene } from './scene.ts'
import { settled } from './settled.ts'

/** Longer than anything takes on a busy machine; what is awaited usually comes within some milliseconds. */
const PATIENCE = { timeout: 15_000, interval: 25 }

export interface ScenePage {
  readonly world: PageLedger
  readonly ledger: PageLedger['ledger']
  readonly scene: Scene
  readonly page: Page
  /** Opens an address, and waits until everything on it is answered. */
  go(path: string): Promise<void>
}

export function scenePage(): ScenePage {
  let world: PageLedger | undefined
  let scene: Scene | undefined
  let page: Page | undefined
  beforeAll(async () => {
    world = await pageLedger()
    scene = await setTheScene(world.ledger, world.folder)
    // With a name, so that it is seen in the history who did something.
    page = await world.open({ tenants: ['*'] })
  })
  afterAll(async () => {
    try {
      await world?.closePages()
    } finally {
      await world?.[Symbol.asyncDispose]()
    }
  })
  return {
    get world() {
      return there(world)
    },
    get ledger() {
      return there(world).ledger
    },
    get scene() {
      return there(scene)
    },
    get page() {
      return there(page)
    },
    go: (path) => goTo(there(page), there(world).url + path),
  }
}

function there<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Error('it is there as soon as the first test begins')
  return thing
}

export async function goTo(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await settled(page)
}

/** Asks until it is as expected. */
export function eventually<T>(read: () => T | Promise<T>) {
  return expect.poll(read, PATIENCE)
}

/** Until the page is there, whatever else its address says. */
export async function arrived(page: Page, path: string): Promise<void> {
  await eventually(() => new URL(page.url()).pathname).toBe(path)
}

/** What the address says, by name. */
export function inAddress(page: Page): { readonly [name: string]: string } {
  return Object.fromEntries(new URL(page.url()).searchParams)
}

/** What is in the first column of a list, from top to bottom. */
export function listed(page: Page, label: string): Promise<readonly string[]> {
  return page
    .getByRole('table', { name: label, exact: true })
    .locator('[role="row"] > [role="cell"]:first-child :is(a, button[aria-label^="Who"])')
    .allTextContents()
}

interface Yes {
  /** What the question says. */
  readonly asked: string
  /** What the button says. */
  readonly press: string
  readonly reason?: string
}

/** The question that is asked before something is done, answered with yes. */
export async function sayYes(page: Page, { asked, press, reason = '' }: Yes): Promise<void> {
  const question = page.getByRole('dialog')
  await question.getByRole('heading', { name: asked }).waitFor()
  await question.getByLabel('Reason, kept in the history').fill(reason)
  await question.getByRole('button', { name: press, exact: true }).click()
  await question.waitFor({ state: 'detached' })
}

/** What is said in the corner about what came of it. */
export async function told(page: Page, text: string | RegExp): Promise<void> {
  await page.locator('[aria-live="polite"]').getByText(text).first().waitFor()
}

/** The state beside the title. */
export function stateInTitle(page: Page): Promise<string | null> {
  return page.getByRole('heading', { level: 1 }).locator('[data-state]').getAttribute('data-state')
}

/** It is shown, says why it cannot be pressed, and does nothing when it is. */
export async function expectRefused(page: Page, button: Locator, why: RegExp): Promise<void> {
  await eventually(() => button.getAttribute('title')).toMatch(why)
  expect(await button.getAttribute('aria-disabled')).toBe('true')
  await button.dispatchEvent('click')
  expect(await page.getByRole('dialog').count()).toBe(0)
}
