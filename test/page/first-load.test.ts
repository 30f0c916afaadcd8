// What a browser gets before the dashboard is there: little, and from nobody but the server.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PageLedger, pageLedger } from './page-ledger.ts'
import { setTheScene } from './scene.ts'
import { settled } from './settled.ts'

/** Over the wire, in all. */
const MOST_BYTES = 180_000

const ROOT = new URL('../../', import.meta.url)
const BUILT = new URL('dist/page/', ROOT)

interface Chunk {
  readonly file: string
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
}

const ENTRY = 'index.html'
const DASHBOARD = 'src/screens/dashboard/dashboard.tsx'
/** Comes when there is something to draw. */
const CHART = 'src/screens/dashboard/draw-chart.ts'

const manifest = JSON.parse(read(new URL('manifest.json', BUILT)).toString()) as { [name: string]: Chunk }

function read(url: URL): Buffer {
  return readFileSync(url)
}

/** The files of these chunks, and of those that they cannot do without. */
function filesOf(names: readonly string[]): ReadonlySet<string> {
  const files = new Set<string>()
  const seen = new Set<string>()
  const visit = (name: string) => {
    if (seen.has(name)) return
    seen.add(name)
    const chunk = manifest[name]
    if (chunk === undefined) throw new Error(`${name} is not in the manifest`)
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file)
    chunk.imports?.forEach(visit)
  }
  names.forEach(visit)
  return files
}

const FIRST = filesOf([ENTRY, DASHBOARD, CHART])

it(`the dashboard and all it needs have at most ${MOST_BYTES} bytes`, () => {
  const bytes = [ENTRY, 'icon.svg', ...FIRST].map((file) => gzipSync(read(new URL(file, BUILT))).length)
  expect(bytes.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(MOST_BYTES)
})

it('no file of the page names another host to load something from', () => {
  const html = read(new URL(ENTRY, BUILT)).toString()
  const named = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url)
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter((url) => url?.startsWith('/') !== true)).toEqual([])
  const styles = Object.values(manifest).flatMap(({ css = [] }) => css)
  const loaded = styles.flatMap((file) => [
    ...read(new URL(file, BUILT))
      .toString()
      .matchAll(/@import|url\(\s*['"]?(?!data:|#)[^)]*/g),
  ])
  expect(loaded).toEqual([])
})

describe('a browser', () => {
  let page: PageLedger
  beforeAll(async () => {
    page = await pageLedger()
    await setTheScene(page.ledger, page.folder)
  })
  afterAll(() => page[Symbol.asyncDispose]())

  it('asks for these files and no others, and for nothing from elsewhere', async () => {
    const tab = await page.open()
    const urls: URL[] = []
    tab.on('request', (request) => urls.push(new URL(request.url())))
    const chart = tab.waitForRequest(`**/${manifest[CHART]?.file}`)
    await tab.goto(page.url)
    await settled(tab)
    await chart
    await tab.locator('canvas').first().waitFor()
    expect(urls.filter(({ origin }) => origin !== page.url).map(String)).toEqual([])
    const assets = urls.map(({ pathname }) => pathname.slice(1)).filter((path) => path.startsWith('assets/'))
    expect([...new Set(assets)].sort()).toEqual([...FIRST].sort())
    await page.closePages()
  })
})

describe('the package', () => {
  const manifestOf = JSON.parse(read(new URL('package.json', ROOT)).toString()) as {
    readonly dependencies: { readonly [name: string]: string }
    readonly peerDependencies: { readonly [name: string]: string }
    readonly files: readonly string[]
  }

  it('brings no library of the page along: they are in its files', () => {
    const names = Object.keys({ ...manifestOf.dependencies, ...manifestOf.peerDependencies })
    expect(names.filter((name) => /react|tanstack|uplot|anser|vite|playwright|axe/i.test(name))).toEqual([])
  })

  it('takes the files of the page, and not what they were made of', () => {
    const taken = manifestOf.files.filter((file) => !file.startsWith('!'))
    expect(taken).toContain('dist')
    expect(taken.filter((file) => /^(\.?\/?)(ui|test|node_modules)\b/.test(file))).toEqual([])
  })
})
