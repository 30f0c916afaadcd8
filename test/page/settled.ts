import type { Page } from 'playwright-core'

/** When everything that the screen asked for has been answered. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForFunction(() => document.querySelector('[aria-label="Loading"]') === null)
}
